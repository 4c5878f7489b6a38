import { runProgram } from '../binaries/program.ts';
import { temporalOf } from '../options.ts';
import type { Job } from './component.ts';
import { temporalAddressOf } from './operator.ts';
import { searchAttributes } from './temporal.ts';
import type { StackWorld } from './world.ts';

const needsOf = {
  development: ['temporal'],
  postgresql: ['temporal-namespace'],
  elsewhere: [],
} as const;

/**
 * The server's own flag only counts for a new database: a kept one may lack what was added since.
 */
export function registerSearchAttributes({ binary, ...world }: StackWorld): Job {
  return {
    name: 'search-attributes',
    needs: needsOf[temporalOf(world)],
    run: async () => {
      const file = binary('temporal');
      const command = ['operator', 'search-attribute', `--address=${temporalAddressOf(world)}`];
      const listed = new Set((await runProgram(file, [...command, 'list'])).split(/\s+/));
      const missing = Object.entries(searchAttributes).filter(([name]) => !listed.has(name));
      if (missing.length === 0) return '';
      // The command wants as many types as names.
      const added = missing.flatMap(([name, type]) => [`--name=${name}`, `--type=${type}`]);
      await runProgram(file, [...command, 'create', ...added]);
      return `added ${missing.map(([name]) => name).join(', ')}`;
    },
  };
}
