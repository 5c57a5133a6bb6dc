/**
 * The configuration of a stage of this house: lines `KEY = value`, `#` or `;` at the beginning of a line is a comment.
 *
 *     const settings = { DESKEW: flag(true), DPI: number(300, { min: 72, max: 1200 }), METHOD: choice('none', ['otsu']) };
 *     const config = parseStageConfig(text, settings);   // { DESKEW: boolean, DPI: number, METHOD: 'none' | 'otsu' }
 */
export function parseStageConfig<Settings extends Record<string, Setting<unknown>>>(
  text: string,
  settings: Settings,
): StageConfig<Settings> {
  const values = new Map<string, string>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    // A section header is allowed, because configurations written for PERO have one.
    if (line === '' || /^[#;]/.test(line) || /^\[.*\]$/.test(line)) continue;
    const match = /^([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line);
    if (!match) throw new Error(`line ${index + 1}: expected KEY = value, found: ${line}`);
    const key = (match[1] ?? '').toUpperCase();
    if (!Object.hasOwn(settings, key)) {
      throw new Error(
        `line ${index + 1}: unknown key ${match[1]}; known: ${Object.keys(settings).join(', ')}`,
      );
    }
    if (values.has(key)) throw new Error(`line ${index + 1}: ${key} is there twice`);
    values.set(key, match[2] ?? '');
  }
  const read = Object.entries(settings).map(([key, setting]) => {
    const value = values.get(key);
    return [key, value === undefined ? setting.fallback : setting.parse(value, key)];
  });
  return Object.fromEntries(read) as StageConfig<Settings>;
}

/** How one key is read; `parse` throws what the administrator should read. */
export interface Setting<Value> {
  fallback: Value;
  parse(text: string, key: string): Value;
}

export type StageConfig<Settings extends Record<string, Setting<unknown>>> = {
  [Key in keyof Settings]: Settings[Key] extends Setting<infer Value> ? Value : never;
};

export function flag(fallback: boolean): Setting<boolean> {
  return {
    fallback,
    parse(text, key) {
      if (/^(yes|true|on|1)$/i.test(text)) return true;
      if (/^(no|false|off|0)$/i.test(text)) return false;
      throw new Error(`${key} must be yes or no, found: ${text}`);
    },
  };
}

export function number(fallback: number, limits: { min?: number; max?: number } = {}): Setting<number> {
  const { min = -Infinity, max = Infinity } = limits;
  return {
    fallback,
    parse(text, key) {
      const value = Number(text);
      if (text === '' || !Number.isFinite(value)) throw new Error(`${key} must be a number, found: ${text}`);
      if (value < min) throw new Error(`${key} must be at least ${min}, found: ${text}`);
      if (value > max) throw new Error(`${key} must be at most ${max}, found: ${text}`);
      return value;
    },
  };
}

/** One of a few words; the fallback is one of them. */
export function choice<Fallback extends string, Word extends string>(
  fallback: Fallback,
  others: readonly Word[],
): Setting<Fallback | Word> {
  const words: readonly (Fallback | Word)[] = [fallback, ...others];
  return {
    fallback,
    parse(text, key) {
      const found = words.find((word) => word === text.toLowerCase());
      if (found === undefined) throw new Error(`${key} must be one of ${words.join(', ')}, found: ${text}`);
      return found;
    },
  };
}

/** Any text, spaces at both ends removed. */
export function words(fallback: string): Setting<string> {
  return { fallback, parse: (text) => text };
}
