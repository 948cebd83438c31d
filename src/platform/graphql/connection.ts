import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { ClassType } from 'type-graphql';
import type { Page } from '../db/page.js';

export enum OrderDirection {
  asc = 'asc',
  desc = 'desc',
}
registerEnumType(OrderDirection, { name: 'OrderDirection' });

@ObjectType('PageInfo', { description: 'Relay page information.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean)
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

/** Forward paging: `first` 1–500 (50 when absent), `after` the cursor of the last row seen. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, description: '1–500; 50 when absent.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last row seen.' })
  after?: string | null;
}

/** The cost of a list is the cost of its rows. A negative `first` is refused later, and must not pay for others here. */
export function listComplexity({
  args,
  childComplexity,
}: {
  args: { first?: number | null };
  childComplexity: number;
}) {
  return 1 + Math.max(args.first ?? 50, 1) * childComplexity;
}

/** The base of a node type's Relay connection; resolvers return a {@link Page} for it. */
export function connectionOf<T extends object>(name: string, node: () => ClassType<T>) {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class Edge {
    @Field(() => String)
    cursor!: string;

    @Field(node)
    node!: T;
  }

  @ObjectType()
  abstract class Connection implements Pick<
    Page<T>,
    'items' | 'count' | 'cursorOf' | 'hasNextPage' | 'hasPreviousPage'
  > {
    items!: T[];
    hasNextPage!: boolean;
    hasPreviousPage!: boolean;
    count!: () => Promise<number>;
    cursorOf!: (item: T) => string;

    @Field(() => [Edge])
    edges(): Edge[] {
      return this.items.map((item) => ({ node: item, cursor: this.cursorOf(item) }));
    }

    @Field(() => [node()], { description: 'The rows without their cursors.' })
    nodes(): T[] {
      return this.items;
    }

    @Field(() => PageInfo)
    pageInfo(): PageInfo {
      const [first, last] = [this.items[0], this.items.at(-1)];
      return {
        hasNextPage: this.hasNextPage,
        hasPreviousPage: this.hasPreviousPage,
        startCursor: first ? this.cursorOf(first) : null,
        endCursor: last ? this.cursorOf(last) : null,
      };
    }

    @Field(() => Int, { description: 'How many rows match the filter in all; one more statement.' })
    totalCount(): Promise<number> {
      return this.count();
    }
  }
  return Connection;
}

/** The base of an `orderBy` input over an enum of fields, whose values are the entity's property names. */
export function orderOf<E extends object>(name: string, fields: E) {
  registerEnumType(fields, { name: `${name}OrderField` });

  @InputType()
  abstract class Order {
    @Field(() => fields)
    field!: string;

    @Field(() => OrderDirection, { defaultValue: OrderDirection.asc })
    direction!: OrderDirection;
  }
  return Order;
}
