/** The resources that the API server in memory serves. */
import { group, ownGroup } from '../../../workflows/api/constants.ts';
import { kubermaticGroup } from '../../../workflows/api/kubermatic-names.ts';

export interface Resource {
  kind: string;
  /** As in a path: plural, in small letters. */
  plural: string;
  /** Empty for the core group. */
  group: string;
  version: string;
  isNamespaced: boolean;
  /** Of a CustomResourceDefinition: no strategic patches, a status that is kept apart. */
  isCustom: boolean;
  /** Nothing is served until its CRD is installed. */
  isOptional: boolean;
  hasStatus: boolean;
  /** Else it is that of a DNS subdomain. */
  takesAnyName: boolean;
  /** What is wrong with the metadata of a write is said once for the object, and once more. */
  checksMetadataTwice: boolean;
  /** `metadata.generation` is 1, and more after each change of what is wanted. */
  countsGenerations: boolean;
  /** The garbage collector may be asked to wait for dependents, or to let them be. */
  isCollected: boolean;
  /** A deletion is answered with the object. */
  returnsDeleted: boolean;
  /** A write without a version to an object that is not there makes it. */
  isCreatedByUpdate: boolean;
  /** A write without a resourceVersion overwrites what there is; elsewhere it is refused. */
  allowsUnconditionalUpdate: boolean;
  /** Fields that a selector may name, besides name and namespace. */
  fields: readonly string[];
}

function aResource(kind: string, changes: Partial<Resource> = {}): Resource {
  return {
    kind,
    plural: `${kind.toLowerCase()}s`,
    group: '',
    version: 'v1',
    isNamespaced: true,
    isCustom: false,
    isOptional: false,
    hasStatus: false,
    takesAnyName: false,
    checksMetadataTwice: true,
    countsGenerations: false,
    isCollected: true,
    returnsDeleted: false,
    isCreatedByUpdate: false,
    allowsUnconditionalUpdate: true,
    fields: [],
    ...changes,
  };
}

const custom = {
  group,
  version: 'v1alpha1',
  isCustom: true,
  countsGenerations: true,
  allowsUnconditionalUpdate: false,
};

export const resources: readonly Resource[] = [
  aResource('Machine', {
    ...custom,
    hasStatus: true,
    fields: [
      'status.currentStatus.phase',
      'status.lastOperation.state',
      'spec.class.name',
      'spec.providerID',
    ],
  }),
  aResource('MachineSet', {
    ...custom,
    hasStatus: true,
    fields: ['spec.template.spec.class.name'],
  }),
  aResource('MachineDeployment', {
    ...custom,
    hasStatus: true,
    fields: ['spec.template.spec.class.name'],
  }),
  aResource('MachineClass', { ...custom, plural: 'machineclasses', fields: ['provider'] }),
  aResource('DisruptionPolicy', {
    ...custom,
    group: ownGroup,
    plural: 'disruptionpolicies',
    hasStatus: true,
    isOptional: true,
  }),
  // As machine-controller publishes them: its Machine has no status of its own.
  aResource('Machine', { ...custom, group: kubermaticGroup, isOptional: true }),
  aResource('MachineSet', { ...custom, group: kubermaticGroup, isOptional: true, hasStatus: true }),
  aResource('MachineDeployment', {
    ...custom,
    group: kubermaticGroup,
    isOptional: true,
    hasStatus: true,
  }),
  aResource('Node', { isNamespaced: false, hasStatus: true, fields: ['spec.unschedulable'] }),
  aResource('Namespace', { isNamespaced: false, hasStatus: true, fields: ['status.phase'] }),
  aResource('Pod', {
    returnsDeleted: true,
    hasStatus: true,
    countsGenerations: true,
    fields: ['spec.nodeName', 'status.phase'],
  }),
  aResource('Secret', { fields: ['type'] }),
  aResource('ConfigMap'),
  aResource('Event', {
    takesAnyName: true,
    checksMetadataTwice: false,
    isCollected: false,
    isCreatedByUpdate: true,
    fields: ['involvedObject.name', 'involvedObject.uid', 'reason', 'type'],
  }),
  aResource('PersistentVolume', { isNamespaced: false, hasStatus: true, returnsDeleted: true }),
  aResource('PersistentVolumeClaim', { hasStatus: true, returnsDeleted: true }),
  aResource('Lease', {
    group: 'coordination.k8s.io',
    allowsUnconditionalUpdate: false,
    isCreatedByUpdate: true,
  }),
  aResource('PodDisruptionBudget', {
    group: 'policy',
    takesAnyName: true,
    checksMetadataTwice: false,
    hasStatus: true,
    countsGenerations: true,
    allowsUnconditionalUpdate: false,
  }),
  aResource('VolumeAttachment', {
    group: 'storage.k8s.io',
    returnsDeleted: true,
    isNamespaced: false,
    hasStatus: true,
    allowsUnconditionalUpdate: false,
  }),
  aResource('CertificateSigningRequest', {
    group: 'certificates.k8s.io',
    isNamespaced: false,
    hasStatus: true,
    allowsUnconditionalUpdate: false,
    fields: ['spec.signerName'],
  }),
];

export function apiVersionOf({ group: of, version }: Resource): string {
  return of === '' ? version : `${of}/${version}`;
}

/** As in messages: `machines.machine.sapcloud.io`. */
export function qualified(name: string, { group: of }: Resource): string {
  return of === '' ? name : `${name}.${of}`;
}
