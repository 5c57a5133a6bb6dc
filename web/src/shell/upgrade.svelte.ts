import { connection } from '../api/changes.svelte.ts';

/** Whether the server has another console than this tab. An upgrade breaks the stream of changes, so each return of it asks. */
class Upgrade {
  waiting = $state(false);
}

export const upgrade = new Upgrade();

/** Call once. */
export function watchForUpgrades(): void {
  $effect.root(() => {
    let wasLost = false;
    $effect(() => {
      const isLost = connection.lostSince !== undefined;
      if (wasLost && !isLost) void ask();
      wasLost = isLost;
    });
  });
  document.addEventListener('visibilitychange', () => document.hidden || void ask());
}

async function ask(): Promise<void> {
  try {
    const response = await fetch('/console/build.json');
    const { build } = (await response.json()) as { build?: string };
    if (build !== undefined && build !== ownBuild()) upgrade.waiting = true;
  } catch {
    // Asked again later.
  }
}

/** The server writes it into the page. */
function ownBuild(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="pismak-build"]')?.content;
}
