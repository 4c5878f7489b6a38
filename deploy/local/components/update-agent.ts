import { join } from 'node:path';
import { repository } from '../layout.ts';
import type { Command, Component } from './component.ts';
import { nodeFlags } from './operator.ts';
import type { StackWorld } from './world.ts';

const entrance = join(repository, 'deploy/local/update-agent/main.ts');

export function updateAgentCommand(kubeconfig: string): Command {
  return { file: process.execPath, args: [...nodeFlags, entrance, `--kubeconfig=${kubeconfig}`] };
}

/** Plays the agents of all Nodes, those that update them in place. */
export function updateAgent({ layout }: StackWorld): Component {
  return {
    name: 'update-agent',
    needs: ['kube-apiserver'],
    ports: [],
    command: async () => updateAgentCommand(layout.kubeconfigOf('update-agent')),
  };
}
