/** The section of a setting: `mail` of `mail.senders.name`; those without one are `pismak`. */
export const sectionOf = (setting: string): string =>
  setting.includes('.') ? setting.slice(0, setting.indexOf('.')) : 'pismak';

/** Settings by section, in the order in which they come. */
export function sectionsOf<Setting extends { setting: string }>(
  settings: readonly Setting[],
): { section: string; settings: readonly Setting[] }[] {
  const sections = Map.groupBy(settings, ({ setting }) => sectionOf(setting));
  return [...sections].map(([section, members]) => ({ section, settings: members }));
}
