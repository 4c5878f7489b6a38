/**
 * kill -9 of watcher and worker again and again while a rollout is scaled, given another template,
 * and taken back.
 */
import { changedWhileDying } from './support/rollout-kills.ts';

changedWhileDying();
