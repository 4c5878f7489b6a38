/**
 * Reports on the MachineClass what a cloud says of its credentials: once, however many machines get
 * that answer.
 */
import { annotations } from '../../workflows/api/constants.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type { CredentialUse } from '../../workflows/plan/machine-class/note.ts';
import { noteAcceptance, noteRefusal } from '../../workflows/plan/machine-class/note.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRejected } from '../../kube/client/errors.ts';
import { changeNote } from './note.ts';

export interface CredentialRefusals {
  /** `refusal`: the code and the words of the cloud, without secrets. */
  refused(ref: NamespacedName, refusal: string, use: CredentialUse): Promise<void>;
  accepted(ref: NamespacedName, use: CredentialUse): Promise<void>;
}

/**
 * One for a process: a caller that comes while the same is being written on a class waits for that
 * and writes nothing.
 */
export function createRefusals(control: KubeClient): CredentialRefusals {
  const underWay = new Map<string, Promise<void>>();

  async function once(key: string, write: () => Promise<void>): Promise<void> {
    const known = underWay.get(key);
    if (known) return await known;
    const written = unlessRejected(write).finally(() => underWay.delete(key));
    underWay.set(key, written);
    await written;
  }

  return {
    refused: (ref, refusal, use) =>
      once(`refused ${use} ${ref.namespace}/${ref.name}`, () =>
        changeNote(control, ref, {
          annotation: annotations.invalid,
          decide: (note) => noteRefusal(note, refusal, use),
        }),
      ),
    accepted: (ref, use) =>
      once(`accepted ${use} ${ref.namespace}/${ref.name}`, () =>
        changeNote(control, ref, {
          annotation: annotations.invalid,
          decide: (note) => noteAcceptance(note, use),
        }),
      ),
  };
}

/** The Machine says what the cloud says: it does not wait for a class that takes no annotation. */
async function unlessRejected(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isRejected(error)) throw error;
  }
}
