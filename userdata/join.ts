/** How a kubelet joins: by TLS bootstrap, with the token of its Machine. */
import type { MachineFile } from './machine-document.ts';
import { yamlText } from './quoting.ts';
import type { MachineValues, UserDataInput } from './input.ts';

/** Where the kubelet finds its token, until it has a certificate. */
export const bootstrapKubeconfigPath = '/etc/kubernetes/bootstrap-kubelet.conf';
/** Of the API server, and of who may ask the kubelet. */
export const authorityPath = '/etc/kubernetes/pki/ca.crt';

export function joinFiles(
  { config: { kubernetes } }: UserDataInput,
  { bootstrapToken }: MachineValues,
): MachineFile[] {
  const cluster = { server: kubernetes.apiServer, 'certificate-authority': authorityPath };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default', cluster }],
    users: [{ name: 'bootstrap', user: { token: bootstrapToken } }],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'bootstrap' } }],
    'current-context': 'default',
  };
  return [
    { path: authorityPath, permissions: '0644', content: kubernetes.caBundle },
    { path: bootstrapKubeconfigPath, permissions: '0600', content: yamlText(kubeconfig) },
  ];
}
