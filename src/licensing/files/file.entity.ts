import { defineEntity, p } from '@mikro-orm/core';
import { Addon } from '../addons/addon.entity.js';
import { Product } from '../products/product.entity.js';

const FileSchema = defineEntity({
  name: 'File',
  tableName: 'file',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    /** Whose licenses may download it. */
    product: () => p.manyToOne(Product).ref().nullable().strictNullable(),
    /** What a license must have as well, if set. */
    addon: () => p.manyToOne(Addon).ref().nullable().strictNullable(),
    /** `owner/name` at the storage provider. */
    repo: p.text().nullable().strictNullable(),
    /** The asset's name, or a pattern of it; see `asset-pattern.rules.ts`. */
    asset: p.text().nullable().strictNullable(),
    /** Prereleases count as newest too. */
    prerelease: p.boolean(),
    /** A zip or jar is delivered with an entry that names the build, so that a leaked one can be traced. */
    stamp: p.boolean(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A downloadable thing. It shadows the global of this name, which the server has no use for. */
export class File extends FileSchema.class {}

FileSchema.setClass(File);
