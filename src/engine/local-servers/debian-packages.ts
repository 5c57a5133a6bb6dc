import { existsSync, globSync } from 'node:fs';

/** Files that local servers need, each with the Debian package that contains it. */
const needed: Readonly<Record<string, string>> = {
  '/usr/lib/rabbitmq/bin/rabbitmq-server': 'rabbitmq-server',
  '/usr/lib/postgresql/*/bin/postgres': 'postgresql',
  '/usr/bin/java': 'default-jre-headless',
  '/usr/share/java/zookeeper.jar': 'libzookeeper-java',
  '/usr/share/java/slf4j-simple.jar': 'libslf4j-java',
  '/usr/bin/setpriv': 'util-linux',
};

/** Debian packages that must be installed before local servers can be started. */
export function missingPackages(isThere = fileIsThere): string[] {
  return Object.entries(needed).flatMap(([file, name]) => (isThere(file) ? [] : [name]));
}

function fileIsThere(pattern: string): boolean {
  return pattern.includes('*') ? globSync(pattern).length > 0 : existsSync(pattern);
}
