/** A record of CSV without its line end. Fields are quoted where needed. */
export function csvRecord(fields: readonly (string | number | null | undefined)[]): string {
  return fields.map(quoted).join(',');
}

function quoted(field: string | number | null | undefined): string {
  const text = String(field ?? '');
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that spreadsheets do not take for a formula: for texts that other people choose. */
export function notFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
