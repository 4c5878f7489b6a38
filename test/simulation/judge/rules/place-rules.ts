/** Where a process may write, and what of it it may delete: the rights of the chart in small. */
import { textOf } from './case.ts';
import type { Case } from './case.ts';

interface Place {
  isIn(judged: Case): boolean;
  /** Methods that it may use there. */
  methods: readonly string[];
}

const isInControl = ({ write, install, target }: Case): boolean =>
  write.cluster === install.control && target.namespace === install.namespace;
const isInTarget = ({ write, install }: Case): boolean => write.cluster === install.target;
const isBootstrapToken = (judged: Case): boolean =>
  isInTarget(judged) &&
  judged.target.namespace === 'kube-system' &&
  nameOf(judged).startsWith('bootstrap-token-');

const places: Readonly<Record<string, readonly Place[]>> = {
  MachineDeployment: [{ isIn: isInControl, methods: ['PATCH'] }],
  MachineSet: [{ isIn: isInControl, methods: ['POST', 'PATCH', 'DELETE'] }],
  Machine: [{ isIn: isInControl, methods: ['POST', 'PATCH', 'DELETE'] }],
  MachineClass: [{ isIn: isInControl, methods: ['PATCH'] }],
  DisruptionPolicy: [{ isIn: isInControl, methods: ['PATCH'] }],
  Lease: [{ isIn: isInControl, methods: ['POST', 'PUT'] }],
  Event: [
    { isIn: isInControl, methods: ['POST', 'PATCH'] },
    { isIn: isInTarget, methods: ['POST', 'PATCH'] },
  ],
  Secret: [
    { isIn: isBootstrapToken, methods: ['POST', 'DELETE'] },
    { isIn: isInControl, methods: ['PATCH'] },
  ],
  Node: [{ isIn: isInTarget, methods: ['PATCH', 'DELETE'] }],
  Pod: [{ isIn: isInTarget, methods: ['POST', 'DELETE'] }],
  VolumeAttachment: [{ isIn: isInTarget, methods: ['DELETE'] }],
};

export function judgePlace(judged: Case): void {
  const { evidence, write, target, install } = judged;
  const found = places[target.resource.kind]?.filter(({ isIn }) => isIn(judged)) ?? [];
  if (found.length === 0) {
    const text = `${write.process.name} of ${install.name} wrote ${write.path} in ${write.cluster.name}`;
    evidence.rulings.against('nothing of another install is touched', write.path, text);
  } else if (!found.some(({ methods }) => methods.includes(write.method))) {
    const text = textOf(
      judged,
      { POST: 'created', PUT: 'replaced', PATCH: 'changed', DELETE: 'deleted' }[write.method],
    );
    evidence.rulings.against('only what is named here is deleted', write.path, text);
  }
}

/** Of an object that is created the path has no name. */
function nameOf({ target, after, before }: Case): string {
  return target.name || (after ?? before)?.metadata.name || '';
}
