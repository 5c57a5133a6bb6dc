/** What a new sandbox must be able to run: Node, with a module of this program. */
process.stdout.write('runs\n');
