import { z } from 'zod';

/**
 * The fields of an object, all optional and without defaults: what a caller leaves out stays as it is. Zod's own `partial()` doesn't
 * help, because it fills in the defaults of fields that are left out.
 */
export function withoutDefaults<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const fields = Object.entries(shape).map(([name, field]) => {
    const base = field instanceof z.ZodDefault ? field.unwrap() : field;
    const optional = (base as z.ZodType).optional();
    const { description } = field as z.ZodType;
    return [name, description === undefined ? optional : optional.describe(description)];
  });
  return Object.fromEntries(fields) as { [Name in keyof Shape]: z.ZodOptional<Shape[Name]> };
}
