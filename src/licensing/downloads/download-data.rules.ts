import type { EventData } from '../../platform/events/emit.js';
import type { DownloadBuild } from './download.repository.js';

/** A build as REST returns it, for events. */
export function downloadData(build: DownloadBuild): EventData {
  return {
    build_id: build.buildId,
    file: build.fileName,
    license: build.licenseKey,
    customer: build.customerName,
    product: build.productName,
    addon: build.addonName,
    version: build.version,
    max_uses: build.maxUses,
    uses: build.uses,
    expires_at: build.expiresAt,
    delivered_at: build.deliveredAt,
    revoked: build.revoked,
  };
}

/** The record that an event is about. */
export function downloadRef({ buildId }: Pick<DownloadBuild, 'buildId'>) {
  return { type: 'download', id: buildId };
}
