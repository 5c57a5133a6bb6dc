/** A cell must not break its table. */
export function tableRow(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** How GitHub names the anchor of a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
