import { messageOf } from '../../engine/ground/errors.ts';
import { maskSecrets } from '../../engine/log/mask-secrets.ts';
import { reachServer } from '../../engine/servers/reach-server.ts';
import { serverNames } from '../../engine/servers/server-addresses.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks that this machine reaches the servers that the settings name. Embedded stores are not servers. */
export async function checkServers(settings: Settings, clock: Clock, timeoutMs = 10_000): Promise<Finding[]> {
  const findings = await Promise.all(
    serverNames.map(async (name): Promise<Finding[]> => {
      const url = settings[name];
      try {
        if (!(await reachServer(url, clock, timeoutMs))) return [];
        return [ok(name, `${maskSecrets(url)} answers`), ...openNodes(name, url)];
      } catch (error) {
        const advice =
          'check that the server is up, that a firewall does not block it, and that the password is right';
        return [fail(name, `${maskSecrets(url)}: ${messageOf(error)}`, advice)];
      }
    }),
  );
  return findings.flat();
}

function openNodes(name: string, url: string): Finding[] {
  if (!/^zookeepers?:/.test(url) || url.includes('@')) return [];
  const found = 'the URL names no user: everyone who reaches ZooKeeper can read the passwords stored there';
  return [warn(name, found, 'put a user and a password into the URL, the same on every machine')];
}
