"""Sends files through a stage over RabbitMQ and saves nothing: it prints what came back, as JSON.

It knows only RabbitMQ and the seven fields of PERO's requests, so programs written for PERO work the same way. Pismak must run on
that RabbitMQ (setting `broker`), the stage and the output queue must exist. Needs the package pika (Debian: python3-pika).

    python3 examples/rabbitmq-producer.py [--high] amqp://user:password@host/vhost STAGE OUTPUT FILE...
"""
import json
import os
import sys
import time
import uuid

import pika
from protobuf_fields import field, parse

arguments = [argument for argument in sys.argv[1:] if argument != '--high']
priority = 1 if '--high' in sys.argv else 0
url, stage, output, *paths = arguments
connection = pika.BlockingConnection(pika.URLParameters(url))
channel = connection.channel()
# Publish returns only when RabbitMQ has the message on disk, and fails when no queue takes it.
channel.confirm_delivery()

waiting = {}
for path in paths:
    name = os.path.basename(path)
    identifier = str(uuid.uuid4())
    with open(path, 'rb') as file:
        result_file = field(1, name) + field(2, file.read())
    request = (
        field(1, identifier) + field(2, name) + field(3, priority) + field(4, field(1, int(time.time())))
        + field(5, stage) + field(5, output) + field(6, result_file)
    )
    properties = pika.BasicProperties(delivery_mode=2, priority=priority)
    # The queue of a stage bears its name. Don't declare it: Pismak has done so.
    channel.basic_publish('', stage, request, properties, mandatory=True)
    waiting[identifier] = name

found, deadline = {}, time.time() + 60
while waiting and time.time() < deadline:
    method, _, body = channel.basic_get(output)
    if body is None:
        time.sleep(0.1)
        continue
    request = parse(body)
    # The same request may come twice, after a crash somewhere: the uuid tells.
    name = waiting.pop(request[1][0].decode(), None)
    if name is not None:
        result, log = parse(request[6][0]), parse(request[7][-1])
        found[name] = {
            'stages': [each.decode() for each in request[5]],
            'name': result[1][0].decode(),
            'size': len(result[2][0]) if 2 in result else 0,
            'stage': log[2][0].decode(),
            'status': log[5][0].decode(),
            'ended': 4 in log,
        }
    channel.basic_ack(method.delivery_tag)
connection.close()
print(json.dumps(found))
sys.exit(1 if waiting else 0)
