/**
 * Which install leads and where its Temporal is, kept on the Lease: a command finds them there, and
 * does not take the Temporal of another cluster for this one's.
 */
import { parsedJson } from '../../workflows/values/parsed-json.ts';

export const installAnnotation = 'millwright.dev/install';

export interface InstallNote {
  /** Id of the control cluster. */
  cluster: string;
  /** Name of the install. */
  name: string;
  clusterName?: string | undefined;
  isFleet: boolean;
  temporal: {
    /** As the watcher has it. */
    address: string;
    namespace: string;
    /** Id of that namespace in its database. */
    id: string;
  };
}

export const writeInstallNote = (note: InstallNote): string => JSON.stringify(note);

/** Reads the annotation. A damaged one counts as absent. */
export function readInstallNote(text: string | undefined): InstallNote | undefined {
  const note: Record<string, unknown> = Object(parsedJson(text));
  const { cluster, name, clusterName, isFleet, temporal } = note;
  const { address, namespace, id }: Record<string, unknown> = Object(temporal);
  if (typeof cluster !== 'string' || typeof name !== 'string') return undefined;
  if (typeof address !== 'string' || typeof namespace !== 'string') return undefined;
  return {
    cluster,
    name,
    ...(typeof clusterName === 'string' && { clusterName }),
    isFleet: isFleet === true,
    temporal: { address, namespace, id: typeof id === 'string' ? id : '' },
  };
}
