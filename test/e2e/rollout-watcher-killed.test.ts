/** kill -9 of the watcher again and again during a rollout. */
import { rolledWhileDying } from './support/rollout-kills.ts';

rolledWhileDying('watcher');
