"""Just enough protobuf to write and read requests (src/engine/request/request.proto) without installing anything.

Programs with the package `protobuf` at hand generate classes from request.proto instead.
"""


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """One field: an integer, or text, bytes or another message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def parse(data):
    """The fields of a message: number -> list of values, messages and text as bytes."""
    fields, at = {}, 0

    def read():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(data):
        key = read()
        if key & 7 == 0:
            value = read()
        else:
            size = read()
            value = data[at:at + size]
            at += size
        fields.setdefault(key >> 3, []).append(value)
    return fields
