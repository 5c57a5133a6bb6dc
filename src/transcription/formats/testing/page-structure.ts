import { type ElementRule, type Structure, types } from './structure.ts';

const nested = '((TextRegion|ImageRegion|TableRegion|SeparatorRegion|UnknownRegion) )*';
const region: ElementRule = { children: new RegExp(`^Coords ${nested}$`), required: { id: 'id' } };

/** The part of PAGE 2019-07-15 that we write. */
export const pageStructure: Structure = {
  root: 'PcGts',
  elements: {
    PcGts: {
      children: /^Metadata Page $/,
      required: { xmlns: /^http:\/\/schema\.primaresearch\.org\/PAGE\/gts\/pagecontent\/2019-07-15$/ },
    },
    Metadata: { children: /^Creator Created LastChange (MetadataItem )*$/ },
    MetadataItem: {
      required: { type: /^processingStep$/, name: /^(preprocessing|recognition)$/, value: types.text },
    },
    AlternativeImage: { required: { filename: types.text }, optional: { comments: types.text } },
    Creator: { text: types.text },
    Created: { text: types.dateTime },
    LastChange: { text: types.dateTime },
    Page: {
      children: new RegExp(`^(AlternativeImage )?(Border )?(ReadingOrder )?${nested}$`),
      required: { imageFilename: types.text, imageWidth: types.whole, imageHeight: types.whole },
      optional: {
        imageXResolution: types.decimal,
        imageYResolution: types.decimal,
        imageResolutionUnit: /^PPI$/,
        conf: types.confidence,
        orientation: /^(-90|0|90|180)$/,
        type: /^content$/,
        primaryLanguage: /^(Czech|German|English|Slovak|Latin)$/,
      },
    },
    Border: { children: /^Coords $/ },
    ReadingOrder: { children: /^OrderedGroup $/ },
    OrderedGroup: { children: /^(RegionRefIndexed )+$/, required: { id: 'id' } },
    RegionRefIndexed: { required: { index: types.whole, regionRef: 'reference' } },
    TextRegion: {
      children: new RegExp(`^Coords (Roles )?${nested}(TextLine )*(TextEquiv )?$`),
      required: { id: 'id' },
      optional: { type: /^paragraph$/ },
    },
    ImageRegion: region,
    TableRegion: { ...region, optional: { rows: types.whole, columns: types.whole } },
    Roles: { children: /^TableCellRole $/ },
    TableCellRole: {
      required: { rowIndex: types.whole, columnIndex: types.whole },
      optional: { rowSpan: types.whole, colSpan: types.whole },
    },
    SeparatorRegion: region,
    UnknownRegion: { ...region, optional: { comments: types.text } },
    Coords: { required: { points: types.points } },
    Baseline: { required: { points: types.points } },
    TextLine: { children: /^Coords (Baseline )?(Word )*(TextEquiv )?$/, required: { id: 'id' } },
    Word: { children: /^Coords (TextEquiv )?$/, required: { id: 'id' } },
    TextEquiv: { children: /^Unicode $/, optional: { conf: types.confidence } },
    Unicode: { text: types.text },
  },
};
