import { printedCommand } from '../../../workflows/runtime/printed-command.ts';

const ref = { namespace: 'shoot', name: 'pool' };

test.each([
  {
    source: undefined,
    printed: [
      `temporal workflow update execute --namespace default --workflow-id machine/shoot/pool --name extendDrain --input '{"minutes":30}'`,
    ],
  },
  {
    source: 'kubernetes' as const,
    printed: [
      "kubectl -n shoot annotate machine pool 'millwright.dev/command=extendDrain minutes=30'",
    ],
  },
  { source: 'none' as const, printed: [] },
])('where commands come by $source, a page prints $printed', ({ source, printed }) => {
  const command = { verb: 'extendDrain', minutes: 30 } as const;
  expect(printedCommand({ kind: 'machine', ref, source }, command)).toEqual(printed);
});
