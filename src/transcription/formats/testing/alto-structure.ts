import { type ElementRule, type Structure, types } from './structure.ts';

const place = { HPOS: types.decimal, VPOS: types.decimal, WIDTH: types.decimal, HEIGHT: types.decimal };
const blocks = '((TextBlock|Illustration|GraphicalElement|ComposedBlock) )*';
const block: ElementRule = { required: { ID: 'id' }, optional: place };

/** The part of ALTO 4.2 that we write. */
export const altoStructure: Structure = {
  root: 'alto',
  elements: {
    alto: {
      children: /^Description Layout $/,
      required: { xmlns: /^http:\/\/www\.loc\.gov\/standards\/alto\/ns-v4#$/, SCHEMAVERSION: /^4\.2$/ },
    },
    Description: { children: /^MeasurementUnit sourceImageInformation OCRProcessing $/ },
    MeasurementUnit: { text: /^pixel$/ },
    sourceImageInformation: { children: /^fileName $/ },
    fileName: { text: types.text },
    OCRProcessing: { children: /^(preProcessingStep )*ocrProcessingStep $/, required: { ID: 'id' } },
    preProcessingStep: { children: /^processingStepDescription $/ },
    ocrProcessingStep: {
      children: /^processingDateTime (processingStepDescription )?processingSoftware $/,
    },
    processingDateTime: { text: types.dateTime },
    processingStepDescription: { text: types.text },
    processingSoftware: { children: /^softwareName softwareVersion $/ },
    softwareName: { text: types.text },
    softwareVersion: { text: types.text },
    Layout: { children: /^(Page )+$/ },
    Page: {
      children: /^PrintSpace $/,
      required: { ID: 'id', PHYSICAL_IMG_NR: types.whole },
      optional: { HEIGHT: types.decimal, WIDTH: types.decimal, PC: types.confidence },
    },
    PrintSpace: { children: new RegExp(`^${blocks}$`), optional: place },
    ComposedBlock: {
      children: new RegExp(`^${blocks}$`),
      required: { ID: 'id' },
      optional: { ...place, TYPE: types.text },
    },
    Illustration: block,
    GraphicalElement: block,
    TextBlock: {
      children: /^(TextLine )*$/,
      required: { ID: 'id' },
      optional: { ...place, LANG: /^[a-z]{2,8}$/, ROTATION: /^(90|180|270)$/ },
    },
    TextLine: {
      children: /^(String (SP )?)+(HYP )?$/,
      optional: { ...place, ID: 'id', BASELINE: types.points },
    },
    String: {
      required: { CONTENT: types.text },
      optional: {
        ...place,
        ID: 'id',
        WC: types.confidence,
        SUBS_TYPE: /^HypPart[12]$/,
        SUBS_CONTENT: types.text,
      },
    },
    SP: { optional: place },
    HYP: { required: { CONTENT: types.text }, optional: place },
  },
};
