import type { Output } from '../../api/call.ts';

export type PageRow = Output<'document.pages'>['pages'][number];
