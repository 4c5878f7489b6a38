import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Layout } from '../layout.ts';
import { host, temporalServerPorts } from '../supervision/ports.ts';
import { answersOk, fewerCollections, type Command, type Component } from './component.ts';
import { databasePassword, databaseUser } from './postgresql.ts';
import {
  dynamicConfigFile,
  temporalServerConfig,
  temporalUiConfig,
  type TemporalPorts,
} from './temporal-config.ts';
import type { StackWorld } from './world.ts';

/** All services of a production server in one process, on PostgreSQL. */
export function temporalServer({ binary, layout, ports }: StackWorld): Component {
  return {
    name: 'temporal',
    needs: ['postgresql', 'temporal-schema'],
    address: `${host}:${ports.temporal}`,
    ports: temporalServerPorts.map((name) => ports[name]),
    command: async () =>
      temporalServerCommand({
        file: binary('temporal-server'),
        folder: layout.temporalConfig,
        layout,
        ports,
      }),
    // Asks the database as well.
    isReady: () => answersOk(`http://${host}:${ports.temporalHttp}/api/v1/namespaces`),
  };
}

export interface TemporalServerPlace {
  /** The program. */
  file: string;
  /** Where its configuration is written. */
  folder: string;
  layout: Layout;
  ports: TemporalPorts;
}

/** Writes the configuration of a server on the PostgreSQL of a stack. Returns how to run it. */
export function temporalServerCommand({
  file,
  folder,
  layout,
  ports,
}: TemporalServerPlace): Command {
  const dynamicConfigPath = join(folder, 'dynamic.yaml');
  const config = join(folder, 'server.yaml');
  const store = { user: databaseUser, password: databasePassword(layout), dynamicConfigPath };
  writeJson(dynamicConfigPath, dynamicConfigFile());
  writeJson(config, temporalServerConfig(ports, store));
  return {
    file,
    env: fewerCollections,
    args: [`--config-file=${config}`, '--allow-no-auth', 'start'],
  };
}

/** JSON is YAML. */
function writeJson(file: string, content: object): void {
  writeFileAtomically(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** The development server brings it along; a production server does not. */
export function temporalUi({ binary, layout, ports }: StackWorld): Component {
  const folder = join(layout.temporalConfig, 'ui');
  const address = `http://${host}:${ports.temporalUi}`;
  return {
    name: 'temporal-ui',
    needs: ['temporal'],
    address,
    ports: [ports.temporalUi],
    command: async () => {
      await mkdir(folder, { recursive: true });
      writeJson(join(folder, 'local.yaml'), temporalUiConfig(ports));
      return {
        file: binary('temporal-ui-server'),
        args: [`--root=${dirname(folder)}`, '--config=ui', '--env=local', 'start'],
      };
    },
    isReady: () => answersOk(`${address}/healthz`),
  };
}
