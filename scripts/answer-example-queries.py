#!/usr/bin/env python3
"""Works out the answers of Examples/people/*.query from the NDJSON, without the engine, and writes them as *.json.

With --check it writes nothing and fails when a file differs. Each function says in Python what the query of the same
name says (with - for _); rows are dictionaries, links are replaced by the rows they mean.
"""

import datetime
import json
import pathlib
import re
import sys
from decimal import Decimal

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Examples" / "people"
STATUS = ["INVITED", "ACTIVE", "AWAY", "BLOCKED"]
KIND = ["IMAGE", "VIDEO", "AUDIO", "DOCUMENT"]


# --- Data -------------------------------------------------------------------------------------------------------------


def rows(name):
    with open(FOLDER / f"{name}.ndjson", encoding="utf-8") as file:
        return [json.loads(line, parse_float=Decimal) for line in file]


person, chat, message, attachment = rows("Person"), rows("Chat"), rows("Message"), rows("Attachment")


def link():
    people, chats, messages = ({row["id"]: row for row in table} for table in (person, chat, message))
    for row in person:
        row.setdefault("status", "ACTIVE")
        row.update(invited=[], chats=[], messages=[], own=row["friends"], friends=[])
    for row in person:
        row["invitedBy"] = people.get(row["invitedBy"])
        if row["invitedBy"]:
            row["invitedBy"]["invited"].append(row)
        for friend in row["own"]:
            row["friends"].append(people[friend])
            people[friend]["friends"].append(row)
    for row in chat:
        row.update(members=[people[member] for member in row["members"]], messages=[])
        for member in row["members"]:
            member["chats"].append(row)
    for row in message:
        row.update(author=people[row["author"]], chat=chats[row["chat"]], replies=[], attachments=[])
        row["author"]["messages"].append(row)
        row["chat"]["messages"].append(row)
    for row in message:
        row["replyTo"] = messages.get(row["replyTo"])
        if row["replyTo"]:
            row["replyTo"]["replies"].append(row)
    for row in chat:
        row["pinned"] = messages.get(row["pinned"])
    for row in attachment:
        row["message"] = messages[row["message"]]
        row["message"]["attachments"].append(row)


link()


# --- The language's rules ---------------------------------------------------------------------------------------------


def key(value):
    """Text orders by its UTF-8 bytes, enums as declared, everything else as Python has it."""
    if isinstance(value, str):
        if value in STATUS:
            return STATUS.index(value)
        return KIND.index(value) if value in KIND else value.encode()
    return value


def order(table, *terms):
    """Sorts by terms (function, is descending[, nulls first]), nulls last, ties as they stood."""
    result = list(table)
    for function, descending, *nulls_first in reversed(terms):
        known = [row for row in result if function(row) is not None]
        unknown = [row for row in result if function(row) is None]
        known.sort(key=lambda row: key(function(row)), reverse=False)
        if descending:
            # reverse=True keeps ties in their order, too.
            known.sort(key=lambda row: key(function(row)), reverse=True)
        result = unknown + known if nulls_first and nulls_first[0] else known + unknown
    return result


def up(name):
    return (lambda row: row[name], False)


def down(name, *nulls):
    return (lambda row: row[name], True, *nulls)


def by_id(row):
    return int(row["id"])


def shown(row, *names, **more):
    """The scalar fields of these names, then computed ones; None stays None."""
    if row is None:
        return None
    return {**{name: row[name] for name in names}, **more}


def country(row):
    return row["address"] and row["address"]["country"]


def find(table, identifier):
    return next((row for row in table if row["id"] == identifier), None)


def text(value):
    """Compact JSON: exact decimals, floats without .0."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{text(name)}:{text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def seconds(row):
    """A Float field, which is not exact, of an attachment."""
    return row["duration"] if row["duration"] is None else float(row["duration"])


# --- Queries, one function each; a list of answers for several operations ----------------------------------------------


def tour():
    found = [row for row in person if row["age"] is not None and row["age"] >= 30 and row["status"] == "ACTIVE"]
    return {"Person": [
        shown(
            row, "id", "age", fullName=row["firstName"] + " " + row["lastName"], n=len(row["messages"]),
            chats=[
                shown(
                    each, "title",
                    latest=[
                        shown(sent, "text", author=shown(sent["author"], "firstName"))
                        for sent in order(each["messages"], down("sentAt"))[:3]])
                for each in row["chats"] if any("swift database" in sent["text"] for sent in each["messages"])])
        for row in order(found, up("lastName"), down("age"))[:10]]}


def by_key():
    twelve = find(message, 12)
    again = next(row for row in person if (row["email"] or "").lower() == "bo.nguyen@example.org")
    return {
        "seventh": shown(find(person, "7"), "id", "firstName", "lastName", "email"), "again": shown(again, "id", "email"),
        "message": shown(twelve, "id", "likes", author=shown(twelve["author"], "id")), "nobody": None}


def root_names():
    small = [row for row in attachment if row["kind"] == "VIDEO" and row["size"] < 5000]
    return {
        "people": [shown(row, "id", "firstName") for row in person[:2]],
        "chats": [shown(row, "id", "title", "isPublic") for row in chat if row["isPublic"]][:2],
        "attachments": [shown(row, "name", "size", duration=seconds(row)) for row in order(small, up("size"))]}


def quantifiers():
    def sizes(row):
        return [sent["likes"] for sent in row["messages"]]

    return {
        "liked": [shown(row, "id") for row in person if any(likes > 55 for likes in sizes(row))],
        "alwaysLiked": [
            shown(row, "id", messages=[shown(sent, "likes") for sent in row["messages"]])
            for row in person if row["messages"] and all(likes >= 20 for likes in sizes(row))],
        "neverEdits": [
            shown(row, "id", n=len(row["messages"])) for row in person
            if len(row["messages"]) >= 5 and not any(sent["isEdited"] for sent in row["messages"])],
        "oneReply": [
            shown(row, "id") for row in person
            if sum(sent["replyTo"] is not None for sent in row["messages"]) == 1 and len(row["messages"]) >= 6],
        "deep": [
            shown(row, "id", "title") for row in chat
            if any(
                file["kind"] == "AUDIO" and file["size"] > 4_000_000
                for sent in row["messages"] for file in sent["attachments"])],
        "silent": [
            shown(row, "id", n=len(row["messages"])) for row in chat if all(likes > 1000 for likes in sizes(row))][:4]}


def counts():
    ages = [row["age"] for row in person if row["age"] is not None]
    busy = [row for row in person if len(row["messages"]) > 9]
    busy.sort(key=lambda row: (-len(row["messages"]), by_id(row)))
    answer = {
        "people": len(person), "active": sum(row["status"] == "ACTIVE" for row in person), "oldest": max(ages),
        "youngest": min(ages), "likes": sum(row["likes"] for row in message), "meanAge": sum(ages) / len(ages),
        "nobody": 0, "none": None, "Person": []}
    for row in busy:
        likes = [sent["likes"] for sent in row["messages"]]
        answer["Person"].append(
            shown(
                row, "id", all=len(likes), popular=sum(number > 10 for number in likes), likes=sum(likes), best=max(likes),
                mean=sum(likes) / len(likes)))
    return answer


def ordering():
    some = [row for row in person if 20 <= by_id(row) <= 25]
    by_inviter = order(some, (lambda row: row["invitedBy"] and row["invitedBy"]["lastName"], False), up("firstName"))
    return {
        "oldest": [shown(row, "id", "age", "lastName") for row in order(person, down("age"), up("lastName"))[:5]],
        "unknownAge": [
            shown(row, "id", "age", "lastName") for row in order(person, down("age", True), down("lastName"))[:5]],
        "lastOfAll": [shown(row, "id", "age") for row in order(person, up("age"))[296:]],
        "byInviter": [
            {"id": row["id"], "invitedBy": shown(row["invitedBy"], "lastName"), "firstName": row["firstName"]}
            for row in by_inviter],
        "byLength": [
            shown(row, "title") for row in order(chat, (lambda row: len(row["title"]), True), up("title"))[:3]],
        "byStatus": [
            shown(row, "id", "status", "lastName")
            for row in order([row for row in person if by_id(row) <= 8], down("status"), up("lastName"))]}


def paging():
    return {
        "Chat": [
            shown(
                row, "id", "createdAt", first=[shown(sent, "sentAt") for sent in order(row["messages"], up("sentAt"))[:1]],
                next=[shown(sent, "sentAt", "likes") for sent in order(row["messages"], up("sentAt"))[1:3]],
                members=[shown(member, "id") for member in row["members"][:2]])
            for row in order(chat, up("createdAt"))[20:23]],
        "beyond": [], "nothing": []}


def fragments():
    row = find(person, "10")
    name = ["id", "firstName", "lastName"]
    inviter = row["invitedBy"]
    return {"person": shown(
        row, *name, address=shown(row["address"], "city", "country"), tags=row["tags"],
        invitedBy=inviter and shown(inviter, *name, invitedBy=shown(inviter["invitedBy"], *name)))}


def fragment_arguments():
    def card(count, least):
        row = find(chat, "c2")
        liked = [sent for sent in row["messages"] if sent["likes"] >= least]
        return shown(
            row, "title", messages=[shown(sent, "id", "likes") for sent in order(liked, down("likes"), up("id"))[:count]])

    return {"few": card(1, 0), "more": card(3, 2)}


def patterns():
    def found(test, *names):
        return [shown(row, *names) for row in message if test(row["text"])]

    like = re.compile(r"100% sure.*the m.ve.*", re.DOTALL)
    return {
        "phone": found(lambda text: re.search(r"\+49 \d+ \d{4}", text), "id", "text")[:3],
        "issue": found(lambda text: re.search(r"(?i)^SEE ISSUE #(\d)\1", text), "id", "text"),
        "quoted": found(lambda text: '"chess' in text, "text")[:2], "lines": found(lambda text: "\n- " in text, "text")[:2],
        "like": found(like.fullmatch, "id", "text"),
        "ilike": [shown(row, "id", "lastName") for row in person if row["lastName"].lower().startswith("o'")][:4],
        "notLike": sum("e" not in row["text"] for row in message),
        "ends": [
            shown(row, "name") for row in attachment if row["name"].endswith(".ogg") and row["name"].startswith("chess")],
        "unicode": [
            shown(row, "id", "firstName") for row in person
            if row["firstName"].startswith("Ş") or row["firstName"] == "太郎"][:3],
        "noVowel": [shown(row, "id", "firstName") for row in person if not re.search("[aeiou]", row["firstName"])][:4]}


def nulls():
    ages = [row["age"] for row in person]
    known = [age for age in ages if age is not None]
    uninvited = [row for row in person if row["invitedBy"] is None]
    return {
        "all": len(ages), "adults": sum(age >= 18 for age in known), "notAdults": sum(age < 18 for age in known),
        "unknown": len(ages) - len(known), "notThirty": sum(age != 30 for age in ages),
        "thirty": sum(age == 30 for age in ages),
        "homeless": [shown(row, "id", address=None) for row in person if row["address"] is None][:3],
        "elsewhere": sum(country(row) != "DE" for row in person), "nowhere": sum(country(row) is None for row in person),
        "uninvited": [shown(row, "id", invitedBy=None) for row in order(uninvited, down("joinedAt"))[:2]],
        "either": sum(
            (row["age"] is not None and row["age"] < 20) or (row["address"] or {}).get("city") == "Paris"
            for row in person),
        "ageOrZero": [shown(row, "id", age=0) for row in person if row["age"] is None][:2]}


def lists_and_embedded():
    neighbours = [
        row for row in person
        if row["address"] and row["address"]["city"] == "Köln" and row["address"]["postalCode"] is None]
    return {
        "players": [shown(row, "id", "tags") for row in person if "chess" in row["tags"] and "swift" in row["tags"]],
        "untagged": sum(row["tags"] == [] for row in person),
        "neighbours": [
            shown(row, "id", address=shown(row["address"], "street", "city", "postalCode", "country"))
            for row in neighbours],
        "twoTags": [shown(row, "id", "tags") for row in person if row["tags"] == ["music", "chess"]]}


def object_form():
    literal = [
        row for row in person
        if (row["age"] is None or row["lastName"].startswith("van")) and any(sent["likes"] > 20 for sent in row["messages"])]
    filtered = [
        row for row in person if row["age"] is not None and row["age"] >= 60 and row["status"] in ("AWAY", "INVITED")]
    return {
        "literal": [shown(row, "id", "age", "lastName") for row in literal],
        "variable": [shown(row, "id", "age", "status") for row in filtered],
        "operand": [shown(row, "id", "firstName") for row in filtered if row["firstName"].encode() < b"E"],
        "notAtAll": sum(row["age"] is not None and row["age"] >= 60 for row in person), "everything": len(person)}


def nested():
    def sent_in(room):
        liked = [sent for sent in room["messages"] if sent["likes"] >= 5]
        return [
            shown(
                sent, "likes", author=shown(sent["author"], "id", "lastName"),
                replyTo=sent["replyTo"] and shown(sent["replyTo"], "id", author=shown(sent["replyTo"]["author"], "id")),
                attachments=[shown(file, "name", "size") for file in order(sent["attachments"], up("size"))])
            for sent in order(liked, down("likes"), up("sentAt"))[:2]]

    found = [row for row in person if len(row["chats"]) >= 5 and row["age"] is not None and row["age"] < 30]
    return {"Person": [
        shown(
            row, "firstName",
            chats=[
                shown(room, "title", messages=sent_in(room), pinned=shown(room["pinned"], "id", "likes"))
                for room in [room for room in row["chats"] if room["isPublic"]][:2]])
        for row in order(found, up("joinedAt"))[:3]]}


def correlated():
    def alike(row):
        return sum(friend["status"] == row["status"] for friend in row["friends"])

    def older(row):
        known = [friend for friend in row["friends"] if None not in (friend["age"], row["age"])]
        return order([friend for friend in known if friend["age"] > row["age"]], down("age"), (by_id, False))[:2]

    # A null is a value for ==: two unknown countries are equal, and so are the missing author's and an unknown one.
    fans = [row for row in message if (country(row["replyTo"]["author"]) if row["replyTo"] else None) == country(row["author"])]
    return {
        "Person": [
            shown(
                row, "id", "status", alike=alike(row),
                olderFriends=[shown(friend, "id", "age") for friend in older(row)])
            for row in person if alike(row) >= 9][:5],
        "selfReply": [
            shown(
                row, "id", author=shown(row["author"], "id"),
                replies=[{"author": shown(reply["author"], "id")} for reply in row["replies"]])
            for row in message if any(reply["author"] is row["author"] for reply in row["replies"])],
        "fans": [
            shown(row, "id", author={"address": shown(row["author"]["address"], "country")}) for row in fans][:4]}


def splats():
    scalars = ["id", "text", "likes", "isEdited", "sentAt"]
    file, room = find(attachment, "a3"), find(chat, "c5")
    return {
        "Message": [shown(find(message, 46), *scalars)],
        "attachment": shown(
            file, "id", "name", "kind", "size", duration=seconds(file), message=shown(file["message"], *scalars)),
        "chat": shown(room, "id", "title", "isPublic", "createdAt", n=len(room["members"]))}


def distinct():
    def first_of_each(table, function):
        seen, kept = [], []
        for row in table:
            if function(row) not in seen:
                seen.append(function(row))
                kept.append(row)
        return kept

    oldest = first_of_each(order(person, down("age"), (by_id, False)), country)[:6]
    return {
        "oldest": [shown(row, "id", "age", address=shown(row["address"], "country")) for row in oldest],
        "Chat": [
            shown(
                room, "id",
                latestByAuthor=[
                    shown(sent, "sentAt", author=shown(sent["author"], "id"))
                    for sent in first_of_each(order(room["messages"], down("sentAt")), lambda sent: sent["author"]["id"])[:3]])
            for room in chat if room["id"] in ("c1", "c3", "c6")]}


def operations():
    large = [row for row in attachment if row["kind"] in ("IMAGE", "AUDIO") and row["size"] > 6_000_000]
    return [
        {"n": len(chat)}, {"chat": shown(find(chat, "c1"), "title")},
        {"Attachment": [shown(row, "kind", "size") for row in order(large, up("kind"), down("size"))]}]


def dates():
    recent = [row for row in message if "2024-10-01T00:00:00Z" <= row["sentAt"] < "2024-10-05T00:00:00Z"]
    born = [row for row in person if row["birthday"] and "1990-01-01" <= row["birthday"] <= "1995-12-31"]
    return {
        "recent": [shown(row, "id", "sentAt") for row in order(recent, down("sentAt"))],
        "born": [shown(row, "id", "birthday") for row in order(born, up("birthday"))],
        "years": sum(datetime.datetime.fromisoformat(row["sentAt"][:19]).year == 2023 for row in message)}


def computed():
    def label(age):
        return "?" if age is None else "senior" if age >= 65 else "adult"

    return {
        "Person": [
            {
                "name": row["lastName"].upper() + ", " + row["firstName"], "balance": row["balance"],
                "withFee": row["balance"] + Decimal("0.125"),
                "isRich": row["balance"] >= Decimal("4450.5") and row["status"] != "BLOCKED",
                "next": (row["age"] or 0) + 1, "label": label(row["age"]),
                "letters": len(row["email"] or "")}
            for row in order([row for row in person if row["balance"] > 4400], down("balance"))],
        "total": sum(row["balance"] for row in person)}


def dashboard():
    busiest = sorted(chat, key=lambda row: -len(row["messages"]))
    return {
        "members": sum(row["status"] == "ACTIVE" for row in person), "messages": len(message),
        "likes": sum(row["likes"] for row in message),
        "busiest": [shown(row, "id", "title", n=len(row["messages"])) for row in busiest[:3]],
        "newest": [
            shown(row, "id", "text", author=shown(row["author"], "firstName"))
            for row in order(message, down("sentAt"))[:3]]}


# --- Files ------------------------------------------------------------------------------------------------------------


def main():
    different = 0
    for query in sorted(FOLDER.glob("*.query")):
        answers = globals()[query.stem.replace("-", "_")]()
        lines = "".join(text(answer) + "\n" for answer in (answers if isinstance(answers, list) else [answers]))
        file = query.with_suffix(".json")
        if "--check" not in sys.argv:
            file.write_text(lines, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != lines:
            print(f"{file} differs", file=sys.stderr)
            different = 1
    sys.exit(different)


main()
