import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { base64Decode, base64Encode } from '@bufbuild/protobuf/wire';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { newerField } from './newer-fields.ts';

const root = join(import.meta.dirname, '..', '..');

/** The name of the migration that the later version has and this one has not. */
export const laterMigration = 'engine/9998-later';

/**
 * Makes the next version of this program in `directory`: the same, but each message has one more field, which it fills
 * in (`later request`, `later file`, `later log`), and the database one more table and column. Resolves to its command.
 */
export async function makeLaterVersion(directory: string): Promise<string> {
  for (const part of ['src', 'bin', 'scripts', 'package.json'])
    await cp(join(root, part), join(directory, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  const engine = join(directory, 'src', 'engine');

  await edit(join(engine, 'request', 'request_pb.ts'), /(?<=fileDesc\(")[^"]+/, withOneMoreField);
  const request = join(engine, 'request', 'request.ts');
  await edit(request, /(?<=create\(StageLogSchema, \{)/, () => "later: 'later log',");
  await edit(
    request,
    /(?=return toBinary\(ProcessingRequestSchema)/,
    () =>
      "request.later ||= 'later request'; for (const file of request.results) file.later ||= 'later file';",
  );

  const migration = `import { sql } from 'kysely';
    export const later = { name: '9998-later', async up(transaction) {
      await sql\`CREATE TABLE "later" ("name" TEXT PRIMARY KEY)\`.execute(transaction);
      await sql\`ALTER TABLE "stage" ADD COLUMN "later" TEXT NOT NULL DEFAULT 'none'\`.execute(transaction);
    } };`;
  await writeFile(join(engine, 'database', 'migrations', 'later.ts'), migration);
  const open = join(engine, 'database', 'open.ts');
  await edit(open, /^/, () => "import { later } from './migrations/later.ts';\n");
  await edit(open, /(?<=const migrations = \[)/, () => 'later, ');
  return join(directory, 'bin', 'pismak');
}

function withOneMoreField(descriptor: string): string {
  const file = fromBinary(FileDescriptorProtoSchema, base64Decode(descriptor));
  for (const message of file.messageType) {
    const field = create(FieldDescriptorProtoSchema, {
      name: 'later',
      number: newerField,
      label: FieldDescriptorProto_Label.OPTIONAL,
      type: FieldDescriptorProto_Type.STRING,
    });
    message.field.push(field);
  }
  return base64Encode(toBinary(FileDescriptorProtoSchema, file), 'std_raw');
}

async function edit(file: string, where: RegExp, what: (found: string) => string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!where.test(text)) throw new Error(`${file} has changed: ${where} is not found there any more`);
  await writeFile(file, text.replace(where, what));
}
