/** kill -9 of the worker again and again during a rollout. */
import { rolledWhileDying } from './support/rollout-kills.ts';

rolledWhileDying('worker');
