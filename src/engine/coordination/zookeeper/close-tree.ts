import { hasCode } from '../../ground/errors.ts';
import { getAccess, getChildren, setAccess } from './requests.ts';
import type { Znodes } from './znodes.ts';

/** Restricts znodes that everybody may use, from this one down, to our credentials. */
export async function closeTree(znodes: Znodes, znode: string): Promise<void> {
  try {
    const [access, children] = await Promise.all([
      znodes.ifThere(getAccess(znode)),
      znodes.ifThere(getChildren(znode, false)),
    ]);
    if (access?.some(({ scheme }) => scheme === 'world'))
      await znodes.ifThere(setAccess(znode, znodes.names.access));
    await Promise.all((children ?? []).map((name) => closeTree(znodes, `${znode}/${name}`)));
  } catch (error) {
    // It is restricted already, to credentials other than ours.
    if (!hasCode(error, 'forbidden')) throw error;
  }
}
