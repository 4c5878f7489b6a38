import { searchAttributes } from '../../../deploy/local/components/temporal.ts';
import {
  dynamicConfig,
  dynamicConfigFile,
  temporalServerConfig,
  temporalUiConfig,
} from '../../../deploy/local/components/temporal-config.ts';
import { postgresqlSettings } from '../../../deploy/local/components/postgresql.ts';
import { choosePorts } from '../../../deploy/local/supervision/ports.ts';

let next = 20_000;
const machine = {
  isFree: () => Promise.resolve(true),
  anyFree: () => Promise.resolve((next += 1)),
};
const { ports } = await choosePorts({}, machine);
const store = { user: 'temporal', password: 'secret', dynamicConfigPath: '/state/dynamic.yaml' };
const config = temporalServerConfig(ports, store);
const text = JSON.stringify(config);

describe('the configuration of a Temporal server on PostgreSQL', () => {
  test('has both stores on the PostgreSQL of the stack, with its password', () => {
    const sql = {
      pluginName: 'postgres12',
      connectAddr: `127.0.0.1:${ports.postgresql}`,
      user: 'temporal',
      password: 'secret',
    };
    expect(config).toMatchObject({
      persistence: {
        defaultStore: 'temporal',
        visibilityStore: 'visibility',
        datastores: {
          temporal: { sql: { ...sql, databaseName: 'temporal' } },
          visibility: { sql: { ...sql, databaseName: 'temporal_visibility' } },
        },
      },
      dynamicConfigClient: { filepath: '/state/dynamic.yaml' },
    });
  });

  test('listens on the loopback address only, with all four services', () => {
    expect(config).toMatchObject({
      global: { membership: { broadcastAddress: '127.0.0.1' } },
      services: {
        frontend: { rpc: { bindOnIP: '127.0.0.1', grpcPort: ports.temporal } },
        history: { rpc: { bindOnIP: '127.0.0.1', grpcPort: ports.temporalHistory } },
        matching: { rpc: { bindOnIP: '127.0.0.1', grpcPort: ports.temporalMatching } },
        worker: { rpc: { bindOnIP: '127.0.0.1', grpcPort: ports.temporalInternalWorker } },
      },
    });
    expect(text).not.toContain('0.0.0.0');
  });

  test('takes each of its ports from the stack, and none twice', () => {
    const own = Object.entries(ports).filter(
      ([name]) => name.startsWith('temporal') && name !== 'temporalUi',
    );
    expect(own).toHaveLength(11);
    for (const [name, port] of own)
      expect({ [name]: text.includes(String(port)) }).toEqual({ [name]: true });
  });

  test('two servers have room in PostgreSQL with all their connections', () => {
    const sizes = [...text.matchAll(/"maxConns":(\d+)/g)].map(([, size]) => Number(size));
    const ofServer = 4 * sizes.reduce((sum, size) => sum + size, 0);
    const [, limit] = /max_connections=(\d+)/.exec(postgresqlSettings(1).join(' ')) ?? [];
    expect(sizes).toHaveLength(2);
    // Three are kept for superusers.
    expect(2 * ofServer + 3).toBeLessThan(Number(limit));
  });

  test('has the dynamic configuration of the development server', () => {
    expect(dynamicConfigFile()).toHaveProperty(['matching.rps'], [{ value: 20_000 }]);
    expect(Object.keys(dynamicConfigFile())).toEqual(Object.keys(dynamicConfig));
  });

  test('the UI listens where that of the development server does, and asks this server', () => {
    expect(temporalUiConfig(ports)).toMatchObject({
      temporalGrpcAddress: '127.0.0.1:7233',
      host: '127.0.0.1',
      port: 8233,
    });
  });
});

test('PostgreSQL keeps what a kill could tear, and does not wait for the disk', () => {
  const settings = postgresqlSettings(5433);
  expect(settings).toContain('fsync=off');
  expect(settings.join(' ')).not.toMatch(/full_page_writes|synchronous_commit/);
  expect(settings).toContain('listen_addresses=127.0.0.1');
});

/** Columns of `executions_visibility`: schema/postgresql/v12/visibility of the server. */
const slots = { Keyword: 10, Text: 3, Datetime: 3, Int: 3, Bool: 3, Double: 3, KeywordList: 3 };

test('SQL visibility has a column for each search attribute', () => {
  const types = Object.values(searchAttributes);
  for (const [type, count] of Object.entries(slots)) {
    const used = types.filter((one) => one === type).length;
    expect(used).toBeLessThanOrEqual(count);
  }
  expect(types.filter((type) => !Object.hasOwn(slots, type))).toEqual([]);
});
