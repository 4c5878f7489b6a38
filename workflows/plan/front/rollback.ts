/** Annotation `front.millwright.dev/rollback-to`: their template becomes that of a revision. */
import { annotations } from '../../api/constants.ts';
import { front } from '../../api/kubermatic-names.ts';
import type { MachineSet } from '../../api/machine-set.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import { classNameOf, type PoolFacts } from './facts.ts';
import { withoutHash } from './names.ts';
import { rolledBack, type NewCondition } from './status.ts';
import { patchOf, type Write } from './writes.ts';

export type Rollback = { writes: Write[] } | { said: NewCondition; forget: Write };

/** Undefined: none is asked for. A revision that is not known is said, and asked for no more. */
export function rollbackTo(facts: PoolFacts): Rollback | undefined {
  const { deployment } = facts.theirs;
  const asked = deployment.metadata.annotations?.[front.rollbackTo]?.trim();
  if (asked === undefined) return undefined;
  const set = facts.ours.sets.find((one) => revisionsOf(one).includes(asked));
  const written = set && facts.templates.get(classNameOf(set) ?? '')?.written;
  const metadata = { annotations: { [front.rollbackTo]: null } };
  if (written) {
    const template = mergePatchOf(deployment.spec.template, withoutHash(written));
    const spec = template === undefined ? {} : { spec: { template } };
    return { writes: [patchOf('theirDeployment', deployment, { metadata, ...spec })] };
  }
  const revisions = facts.ours.sets.flatMap(revisionsOf);
  const known = revisions.toSorted((a, b) => Number(a) - Number(b)).join(', ') || 'none';
  const message = `${front.rollbackTo}: revision "${asked}" is not known; there are: ${known}`;
  return {
    said: { type: rolledBack, status: 'False', reason: 'UnknownRevision', message },
    forget: patchOf('theirDeployment', deployment, { metadata }),
  };
}

/** A set that was current several times has several. */
function revisionsOf({ metadata }: MachineSet): string[] {
  const notes = metadata.annotations ?? {};
  const texts = [notes[annotations.revision], notes[annotations.revisionHistory]];
  return texts.flatMap((text) => (text ? text.split(',') : []));
}
