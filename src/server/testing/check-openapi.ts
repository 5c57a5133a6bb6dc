/** Lists structural errors in an OpenAPI 3.1 description. Strict about the parts it knows. */
export function checkOpenApi(document: unknown): string[] {
  const faults: string[] = [];
  const root = record(document);
  if (!/^3\.1\.\d+$/.test(String(root.openapi))) faults.push(`openapi is ${String(root.openapi)}`);
  for (const field of ['title', 'version'])
    if (typeof record(root.info)[field] !== 'string') faults.push(`no info.${field}`);
  const ids = new Set<unknown>();
  for (const [path, item] of Object.entries(record(root.paths))) {
    if (!path.startsWith('/')) faults.push(`path ${path} does not begin with /`);
    for (const [method, described] of Object.entries(record(item))) {
      const at = `${method} ${path}`;
      if (!['get', 'post', 'put', 'delete', 'patch'].includes(method)) faults.push(`${at}: unknown method`);
      const operation = record(described);
      if (ids.has(operation.operationId)) faults.push(`${at}: operationId twice`);
      ids.add(operation.operationId);
      checkOperation(operation, at, path, faults);
    }
  }
  checkReferences(root, root, '#', faults);
  return faults;
}

const operationFields = [
  'operationId',
  'summary',
  'description',
  'tags',
  'security',
  'parameters',
  'requestBody',
  'responses',
];
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

function checkOperation(operation: Fields, at: string, path: string, faults: string[]): void {
  if (typeof operation.operationId !== 'string') faults.push(`${at}: no operationId`);
  for (const field of Object.keys(operation)) {
    if (!operationFields.includes(field) && !field.startsWith('x-'))
      faults.push(`${at}: unknown field ${field}`);
  }
  const parameters = list(operation.parameters).map(record);
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    const found = parameters.some((one) => one.name === name && one.in === 'path' && one.required === true);
    if (!found) faults.push(`${at}: no path parameter ${name}`);
  }
  for (const parameter of parameters) {
    const where = `${at}: parameter ${String(parameter.name)}`;
    if (!['query', 'path', 'header', 'cookie'].includes(String(parameter.in)))
      faults.push(`${where}: in what?`);
    if ((parameter.schema === undefined) === (parameter.content === undefined))
      faults.push(`${where}: schema or content`);
    if (parameter.schema !== undefined) checkSchema(parameter.schema, where, faults);
    checkContent(parameter.content, where, faults);
  }
  if (operation.requestBody !== undefined) {
    const { content } = record(operation.requestBody);
    if (content === undefined) faults.push(`${at}: a body without content`);
    checkContent(content, `${at}: body`, faults);
  }
  const responses = Object.entries(record(operation.responses));
  if (responses.length === 0) faults.push(`${at}: no responses`);
  for (const [status, response] of responses) {
    if (!/^([1-5]\d\d|default)$/.test(status)) faults.push(`${at}: response ${status}`);
    const { $ref, description, content } = record(response);
    if ($ref === undefined && typeof description !== 'string')
      faults.push(`${at}: ${status} has no description`);
    checkContent(content, `${at}: ${status}`, faults);
  }
}

function checkContent(content: unknown, at: string, faults: string[]): void {
  for (const [type, media] of Object.entries(record(content))) {
    if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) faults.push(`${at}: media type ${type}`);
    checkSchema(record(media).schema, at, faults);
  }
}

function checkSchema(schema: unknown, at: string, faults: string[]): void {
  if (typeof schema === 'boolean') return;
  const fields = record(schema);
  for (const type of [fields.type ?? []].flat()) {
    if (!types.includes(String(type))) faults.push(`${at}: type ${String(type)}`);
  }
  const required = list(fields.required);
  for (const name of required) {
    if (fields.properties !== undefined && !(String(name) in record(fields.properties))) {
      faults.push(`${at}: ${String(name)} is required and not described`);
    }
  }
  for (const [name, nested] of Object.entries(record(fields.properties)))
    checkSchema(nested, `${at}.${name}`, faults);
  for (const nested of [fields.items, fields.additionalProperties, fields.propertyNames, fields.not]) {
    if (nested !== undefined) checkSchema(nested, at, faults);
  }
  for (const nested of [fields.anyOf, fields.oneOf, fields.allOf].flatMap(list))
    checkSchema(nested, at, faults);
}

function checkReferences(value: unknown, root: Fields, at: string, faults: string[]): void {
  if (value === null || typeof value !== 'object') return;
  for (const [name, nested] of Object.entries(value)) {
    if (name === '$ref' && !resolves(String(nested), root))
      faults.push(`${at}: ${String(nested)} points nowhere`);
    checkReferences(nested, root, `${at}/${name}`, faults);
  }
}

function resolves(reference: string, root: Fields): boolean {
  const [start, ...parts] = reference.split('/');
  let value: unknown = root;
  for (const part of parts) value = record(value)[part];
  return start === '#' && value !== undefined;
}

type Fields = Record<string, unknown>;

function record(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
