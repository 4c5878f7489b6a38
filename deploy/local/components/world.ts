import type { Postgresql } from '../binaries/postgresql.ts';
import type { ToolName } from '../binaries/tools.ts';
import type { Layout } from '../layout.ts';
import type { StackOptions } from '../options.ts';
import type { Ports } from '../supervision/ports.ts';

/** The parts that every component is made from. */
export interface StackWorld {
  options: StackOptions;
  layout: Layout;
  ports: Ports;
  /** Path of a binary that was acquired before the first component starts. */
  binary: (tool: ToolName) => string;
  /** Was found before the first component starts; throws where none is asked for. */
  postgresql: () => Postgresql;
}
