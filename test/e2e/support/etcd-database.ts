/** Gives a control plane that no other test uses an older state of its objects. */
import { cpSync, rmSync } from 'node:fs';
import { signalProcess } from '../../../deploy/local/supervision/identity.ts';
import { componentOf, kill9 } from './components.ts';
import type { TestStack } from './test-stack.ts';

const copyOf = ({ layout }: TestStack): string => `${layout.etcdData}.copy`;

/** A backup of this moment. */
export function saveEtcd(stack: TestStack): void {
  const server = componentOf(stack.layout.stateDir, 'etcd');
  signalProcess(server, 'SIGSTOP');
  try {
    cpSync(stack.layout.etcdData, copyOf(stack), { recursive: true });
  } finally {
    signalProcess(server, 'SIGCONT');
  }
}

/**
 * Starts etcd again with what was saved, and then the API server, whose cache is newer than the
 * database.
 */
export async function restoreEtcd(stack: TestStack): Promise<void> {
  const { stateDir, etcdData } = stack.layout;
  signalProcess(componentOf(stateDir, 'kube-apiserver'), 'SIGSTOP');
  signalProcess(componentOf(stateDir, 'etcd'), 'SIGSTOP');
  rmSync(etcdData, { recursive: true });
  cpSync(copyOf(stack), etcdData, { recursive: true });
  await kill9(stateDir, 'etcd');
  await kill9(stateDir, 'kube-apiserver');
}
