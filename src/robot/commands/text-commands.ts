import type { AddGroup } from '../../terminal/command-group.ts';
import { addCheckRobots } from './check-robots.ts';
import { addClean } from './clean.ts';
import { addLanguage } from './language.ts';
import { addLinks } from './links.ts';

/** The commands that need no engine: they show what the robot makes of a file. */
export const addTextCommands: AddGroup = (group, shell) => {
  addCheckRobots(group, shell);
  addClean(group, shell);
  addLanguage(group, shell);
  addLinks(group, shell);
};
