import { defineSentences } from '../../engine/ground/sentence.ts';

/** The reasons of the robot's alerts. Values that begin with `why` are texts of programs. */
export const sayRobotAlert = defineSentences({
  'robot.set-aside': ({ crawl, why }: { crawl: string; why: string }) =>
    `crawl ${crawl} was stopped: ${why}. The options of a crawl can't be changed: delete it and define a new one.`,
  'robot.cut-off': ({ crawl }: { crawl: string }) =>
    `crawl ${crawl} gets no answer from nearly all servers: is this network cut off?`,
  'robot.segmenter-down': ({ crawl, why }: { crawl: string; why: string }) =>
    `the segmenter of crawl ${crawl} does not answer (${why}); documents wait for it`,
});
