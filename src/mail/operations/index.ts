import { campaignCreate, campaignList, campaignShow, campaignStart } from './campaign.ts';
import { campaignCancel, campaignPause, campaignResume, campaignRetry } from './campaign-control.ts';
import { campaignTest, campaignTry } from './campaign-rehearsal.ts';
import { mailReport } from './inbound.ts';
import { mailCancel, mailList, mailResend, mailSend, mailShow } from './mail.ts';
import { relayList } from './relay.ts';
import { mailErase, suppressionAdd, suppressionList, suppressionRemove } from './suppression.ts';
import { typeExtract, typePreview, typeTranslate } from './translation.ts';
import { typeCreate, typeDelete, typeList, typeShow, typeUpdate } from './type.ts';

export const mailOperations = [
  typeCreate,
  typeUpdate,
  typeShow,
  typeList,
  typeDelete,
  typeExtract,
  typeTranslate,
  typePreview,
  mailSend,
  mailList,
  mailShow,
  mailResend,
  mailCancel,
  mailReport,
  mailErase,
  suppressionAdd,
  suppressionRemove,
  suppressionList,
  campaignCreate,
  campaignStart,
  campaignPause,
  campaignResume,
  campaignCancel,
  campaignRetry,
  campaignShow,
  campaignList,
  campaignTry,
  campaignTest,
  relayList,
];
