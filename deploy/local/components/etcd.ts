import { host } from '../supervision/ports.ts';
import { answersOk, type Component } from './component.ts';
import type { StackWorld } from './world.ts';

export function etcd({ binary, layout, ports }: StackWorld): Component {
  const clientUrl = `http://${host}:${ports.etcdClient}`;
  const peerUrl = `http://${host}:${ports.etcdPeer}`;
  return {
    name: 'etcd',
    needs: [],
    address: clientUrl,
    ports: [ports.etcdClient, ports.etcdPeer],
    command: async () => ({
      file: binary('etcd'),
      args: [
        '--name=local',
        `--data-dir=${layout.etcdData}`,
        `--listen-client-urls=${clientUrl}`,
        `--advertise-client-urls=${clientUrl}`,
        `--listen-peer-urls=${peerUrl}`,
        // The peer address is stored in the data; a single member may come back under another port.
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=local=${peerUrl}`,
        // Data survives kill -9; only a crash of the machine itself can lose it. Worth it for the
        // speed.
        '--unsafe-no-fsync',
        '--auto-compaction-mode=periodic',
        '--auto-compaction-retention=5m',
        '--log-level=warn',
      ],
    }),
    isReady: () => answersOk(`${clientUrl}/health`),
  };
}
