"""A program that knows nothing of Pismak: only the seven fields of PERO's protobuf, written by hand, and RabbitMQ.

usage: producer.py AMQP_URL STAGE OUTPUT SIZE  (prints what came back as JSON)
"""
import json
import sys
import time

import pika


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def parse(data):
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


url, stage, output, size = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
connection = pika.BlockingConnection(pika.URLParameters(url))
channel = connection.channel()
for priority in (0, 1):
    message = (
        field(1, 'uuid-%d' % priority) + field(2, 'page-1') + field(3, priority)
        + field(4, field(1, int(time.time()))) + field(5, stage) + field(5, output)
        + field(6, field(1, 'page.jpg') + field(2, b'x' * size))
    )
    channel.basic_publish('', stage, message, pika.BasicProperties(delivery_mode=2, priority=priority))

found, deadline = {}, time.time() + 60
while len(found) < 2 and time.time() < deadline:
    method, _, body = channel.basic_get(output)
    if body is None:
        time.sleep(0.1)
        continue
    request = parse(body)
    result, log = parse(request[6][0]), parse(request[7][-1])
    found[request[1][0].decode()] = {
        'stages': [name.decode() for name in request[5]],
        'name': result[1][0].decode(),
        'size': len(result[2][0]) if 2 in result else 0,
        'stage': log[2][0].decode(),
        'status': log[5][0].decode(),
        'ended': 4 in log,
    }
    channel.basic_ack(method.delivery_tag)
print(json.dumps(found))
connection.close()
