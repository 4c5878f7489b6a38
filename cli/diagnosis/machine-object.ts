import type { Machine } from '../../workflows/api/machine.ts';
import type { FoundObject } from './finding.ts';

export function foundMachine({ metadata: { namespace, name } }: Machine): FoundObject {
  return { kind: 'machine', namespace, name };
}
