/** What a list of documents can be sorted by. */
export const documentOrders = ['created', 'name', 'owner', 'state', 'pages', 'confidence'] as const;
export type DocumentOrder = (typeof documentOrders)[number];
