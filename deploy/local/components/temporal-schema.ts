import { existsSync } from 'node:fs';
import { writeFileAtomically } from '../atomic-file.ts';
import { runProgram } from '../binaries/program.ts';
import { host } from '../supervision/ports.ts';
import type { Job } from './component.ts';
import { databasePassword, databaseUser } from './postgresql.ts';
import { databases } from './temporal-config.ts';
import type { StackWorld } from './world.ts';

/** Makes both databases of the Temporal server, or brings them to the version of the server. */
export function temporalSchema({ binary, layout, ports }: StackWorld): Job {
  return {
    name: 'temporal-schema',
    needs: ['postgresql'],
    run: async () => {
      const isNew = !existsSync(layout.temporalSchema);
      for (const [schema, database] of Object.entries(databases)) {
        const tool = async (...args: string[]): Promise<void> => {
          await runProgram(binary('temporal-sql-tool'), [`--database=${database}`, ...args], {
            log: layout.logOf('temporal-schema'),
            env: {
              SQL_PLUGIN: 'postgres12',
              SQL_HOST: host,
              SQL_PORT: String(ports.postgresql),
              SQL_USER: databaseUser,
              SQL_PASSWORD: databasePassword(layout),
            },
          });
        };
        if (isNew) await makeDatabase(tool);
        await tool('update-schema', `--schema-name=postgresql/v12/${schema}`);
      }
      writeFileAtomically(layout.temporalSchema, 'complete\n');
      return isNew ? `made ${Object.values(databases).join(', ')}` : '';
    },
  };
}

/**
 * Deletes first what a killed start left half-made: the tool cannot drop the same table twice. No
 * server has used it, as servers wait for this job.
 */
async function makeDatabase(tool: (...args: string[]) => Promise<void>): Promise<void> {
  await tool('drop-database', '--force');
  await tool('create-database');
  await tool('setup-schema', '--version=0.0');
}
