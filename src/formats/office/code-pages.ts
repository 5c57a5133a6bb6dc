/** The code page of a charset of a Windows font; without one, the document's own is used. */
export const codePages: Readonly<Record<number, string>> = {
  238: 'windows-1250',
  204: 'windows-1251',
  161: 'windows-1253',
  162: 'windows-1254',
  186: 'windows-1257',
  77: 'macintosh',
  128: 'shift_jis',
  134: 'gbk',
};
