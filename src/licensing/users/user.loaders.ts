import { byId } from '../../platform/db/by-id.js';
import { firstByOwner } from '../../platform/db/first-by-owner.js';
import { Identity } from '../identities/identity.entity.js';
import { License } from '../licenses/license.entity.js';
import { User } from './user.entity.js';

export const userById = byId(User);
export const identitiesByUser = firstByOwner(Identity, 'user');
export const licensesByUser = firstByOwner(License, 'user');
