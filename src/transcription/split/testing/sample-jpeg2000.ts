const base64 = [
  'AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAABDanAyaAAAABZpaGRyAAAAGAAAACgAAgcHAAAAAAAPY29scgEA',
  'AAAAABEAAAAWY2RlZgACAAAAAAABAAEAAQAAAAABNWpwMmP/T/9RACwAAAAAACgAAAAYAAAAAAAAAAAAAAAoAAAAGAAAAAAA',
  'AAAAAAIHAQEHAQH/UgAMAAAAAQABBAQAAf9cAAdAQEhIUP9kACUAAUNyZWF0ZWQgYnkgT3BlbkpQRUcgdmVyc2lvbiAyLjUu',
  'MP+QAAoAAAAAAL0AAf+T34MQQjQJOCi7L5HJt3/C1veU6grYDvr6IYSCyOvXsiZu/yRIo9HSUYFLBDSbGeDbUg4Fiu85fayN',
  'ZzTwbakG3ipG+2bMV0mxng4aqobeKb7zhAn8y5t9ZDi4M7znCBP5lzb6yH/PtBwUAFyv4dyfz8BWfgLw+0KAQu+fGJF9PUUt',
  'grwLW2jAsxUr1WA/SeWfLyXYgcD56GHYnvVWOSm102ZfnD8+/URTnSvsfygogP/Z',
].join('');

/** 40 x 24 pixels, white, with a black rectangle of 10 x 8 at (20, 4). */
export const jpeg2000 = Buffer.from(base64, 'base64');

/** The same without the JP2 file around it. */
export const jpeg2000Codestream = jpeg2000.subarray(jpeg2000.indexOf(Buffer.from([0xff, 0x4f, 0xff, 0x51])));
