import { messageOf, PismakError } from '../../engine/errors.ts';

interface LaidOut {
  html: string;
  errors?: readonly { line?: number; message?: string }[];
}

type LayOut = (source: string, options: Record<string, unknown>) => Promise<LaidOut> | LaidOut;

/** MJML becomes HTML with inlined styles, once per version. A template that is HTML already stays as it is. */
export async function layOut(template: string, code: string): Promise<string> {
  if (!/<mjml[\s>]/i.test(template)) return template;
  // @ts-expect-error: the package has no types of its own
  const { default: mjml2html } = (await import('mjml')) as { default: LayOut };
  let result: LaidOut;
  try {
    // No includes: a template must not read files of the mail server.
    result = await mjml2html(template, {
      validationLevel: 'soft',
      keepComments: false,
      ignoreIncludes: true,
    });
  } catch (error) {
    throw new PismakError('invalid-input', `template ${code}: ${messageOf(error)}`, { cause: error });
  }
  const [fault] = result.errors ?? [];
  if (fault)
    throw new PismakError(
      'invalid-input',
      `template ${code}, line ${fault.line ?? '?'}: ${fault.message ?? 'is not valid MJML'}`,
    );
  // MJML indents deeply, which every mail would carry along: half of its bytes.
  return result.html.replaceAll(/\n\s*/g, '\n').trim();
}
