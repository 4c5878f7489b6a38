/** A class that asks for user data, with its ConfigMap. */
import { stringify } from 'yaml';
import { annotations } from '../../../workflows/api/constants.ts';
import type { UserDataConfig } from '../../../userdata/config.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { selfSigned } from '../../support/self-signed.ts';

const { certificate } = await selfSigned({ name: 'kubernetes', isAuthority: true });

export const config: UserDataConfig = {
  kubernetes: {
    version: '1.34.2',
    apiServer: 'https://api.example.com:6443',
    caBundle: certificate,
    clusterDNS: ['10.96.0.10'],
  },
};

export function anAskingClass(
  notes: Record<string, string> = {},
  changes: Parameters<typeof aMachineClass>[0] = {},
) {
  return aMachineClass({
    metadata: {
      annotations: {
        [annotations.userData]: 'ubuntu-24.04',
        [annotations.userDataConfig]: 'pool-config',
        ...notes,
      },
    },
    ...changes,
  });
}

/** A text stands as it is. */
export function aConfigMap(
  content: object | string = config,
  { name = 'pool-config', key = 'config.yaml' } = {},
) {
  const text = typeof content === 'string' ? content : stringify(content);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: { [key]: text },
  };
}
