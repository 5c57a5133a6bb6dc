"""A program that knows nothing of Pismak, as a stage: it counts the words of each file of a request.

The processor `command` runs it once per request, in a directory of its own: the files are in in/, what it leaves in out/ is added
to the request, what follows --- in the configuration is the file `config`. Exit code 65 fails the request for good, any other but 0
is tried again.

    # pismak.toml, which says what stages may run on this machine:
    # [command]
    # allow = ["/usr/bin/python3"]
    bin/pismak stage create count-words --processor command \
        --stage-config @examples/count-words/count-words.conf --file examples/count-words/count-words.py
    bin/pismak publish README.md --stages count-words,counted --wait -o results
    cat results/*/README.md.words
"""
import pathlib
import sys

shortest = int(pathlib.Path('config').read_text().strip() or 1)
for path in sorted(pathlib.Path('in').iterdir()):
    try:
        words = [word for word in path.read_text(encoding='utf-8').split() if len(word) >= shortest]
    except UnicodeDecodeError:
        print(f'{path.name} is not text')
        sys.exit(65)
    pathlib.Path('out', path.name + '.words').write_text(f'{len(words)}\n')
    # What it prints goes into the log of the request.
    print(f'{path.name}: {len(words)} words')
