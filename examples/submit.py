"""Submits files over the HTTP API, waits for the results and saves them. Needs nothing but Python.

    bin/pismak user create anna                       # a key belongs to a user
    bin/pismak key create submit.py --owner anna      # prints the key, once
    export PISMAK_URL=http://127.0.0.1:7475 PISMAK_KEY=pk_...
    python3 examples/submit.py shout,my-results letter.txt more.txt

The last of the names is the output queue, which is made if it is new. Use one of your own: the first program that takes a result has it.
"""
import base64
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request
import uuid

from protobuf_fields import parse

API = os.environ.get('PISMAK_URL', 'http://127.0.0.1:7475') + '/api/v1/'
HEADERS = {'Authorization': 'Bearer ' + os.environ['PISMAK_KEY'], 'Content-Type': 'application/json'}


def send(path, data=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(API + path, data, HEADERS)) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        sys.exit(f"{path}: {json.load(error)['error']['message']}")


def call(operation, **parameters):
    return json.loads(send(operation.replace('.', '/'), json.dumps(parameters).encode()))


def save(receipt, request, directory):
    """Writes the files of a result; those above 64 KB are references and fetched one by one."""
    directory.mkdir(parents=True, exist_ok=True)
    for file in map(parse, request.get(6, [])):
        if 16 in file:
            content = send(f'results/{receipt}/blobs/{file[16][0].decode()}')
        else:
            content = file.get(2, [b''])[0]
        # Names come from whoever submitted: only the last part is used.
        (directory / pathlib.PurePath(file[1][0].decode()).name).write_bytes(content)


stages, *paths = sys.argv[1:]
waiting = set()
for path in map(pathlib.Path, paths):
    # With a uuid of our own, submitting again after a broken connection can't double the request.
    identifier = str(uuid.uuid4())
    files = [{'name': path.name, 'content': base64.b64encode(path.read_bytes()).decode()}]
    call('request.submit', uuid=identifier, stages=stages.split(','), files=files)
    waiting.add(identifier)

failed = 0
while waiting:
    for result in call('results.take', queue=stages.split(',')[-1], waitMs=20000)['results']:
        request = parse(base64.b64decode(result['message']))
        if result['uuid'] in waiting:
            last = parse(request[7][-1])
            status = last[5][0].decode()
            directory = pathlib.Path('results', result['uuid'])
            save(result['receipt'], request, directory)
            print(f"{directory}: {status}")
            if status != 'OK':
                failed += 1
                print(last.get(6, [b''])[0].decode())
            waiting.remove(result['uuid'])
        # Safe on our disk (or seen before): now it may leave the queue.
        call('results.confirm', receipts=[result['receipt']])
sys.exit(1 if failed else 0)
