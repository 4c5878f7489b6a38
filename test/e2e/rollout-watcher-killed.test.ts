/** kill -9 of the watcher again and again during a rollout of 20 machines. */
import { rolledWhileKilled } from './support/rollout-kills.ts';

rolledWhileKilled('watcher');
