/** One parameter of a schedule's task, as a field of a form holds it. */
export interface ParameterField {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'json';
  text: string;
  checked: boolean;
}

export function parameterFields(parameters: Readonly<Record<string, unknown>>): ParameterField[] {
  return Object.entries(parameters).map(([name, value]) => {
    const kind =
      typeof value === 'string'
        ? 'text'
        : typeof value === 'number'
          ? 'number'
          : typeof value === 'boolean'
            ? 'boolean'
            : 'json';
    return {
      name,
      kind,
      text: kind === 'json' ? JSON.stringify(value) : String(value),
      checked: value === true,
    };
  });
}

/** What the fields say; only what differs from the schedule's own parameters is sent. Throws if JSON is broken: its message names the field. */
export function chosenParameters(
  fields: readonly ParameterField[],
  parameters: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const field of fields) {
    const value = parsed(field);
    if (JSON.stringify(value) !== JSON.stringify(parameters[field.name])) chosen[field.name] = value;
  }
  return chosen;
}

function parsed({ name, kind, text, checked }: ParameterField): unknown {
  if (kind === 'boolean') return checked;
  if (kind === 'number') return Number(text);
  if (kind === 'text') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** More parameters, a line each: `pages = 10`. A value that is not JSON is text. */
export function readLines(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at < 1) continue;
    const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    try {
      found[name] = JSON.parse(value);
    } catch {
      found[name] = value;
    }
  }
  return found;
}
