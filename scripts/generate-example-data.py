#!/usr/bin/env python3
"""Writes Examples/people/*.ndjson: the same bytes on every run.

Relations stand on one side only: Person.friends lists earlier people, Chat.members, Message.author/chat/replyTo,
Attachment.message. Amounts never end in 0, so that every way to print them is the same.
"""

import datetime
import json
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Examples" / "people"
PEOPLE, CHATS, MESSAGES, ATTACHMENTS = 300, 120, 600, 200
START = datetime.datetime(2023, 1, 1)

FIRST = """Ada Alan Amina Anna Björn Bo Carla Chen Chloé Dmitri Edsger Elif Emre Fatima Finn Grace Hana Hugo Ines Ivan
Jürgen Kofi Lars Leila Linus Łucja Maria Mei Mia Noah Nora Olga Omar Pablo Priya Ravi Rosa Sofía Søren Tariq Tove Uma
Vera Wei Xavier Yara Yuki Zoë Şirin 太郎""".split()
LAST = """Andersson Baker Çelik Costa D'Angelo Fischer García Haddad Hopper Ito Jansen Khan Kowalski Larsen Lovelace
McKay Meyer Müller Nakamura Nguyen Novák O'Neill Okafor Patel Petrov Rossi Sato Schmidt Silva Smith Sørensen Tanaka
Turing Wang Weiß Yılmaz Zhou de~la~Cruz van~Dijk""".split()
PLACES = [
    ("Berlin", "DE"), ("München", "DE"), ("Köln", "DE"), ("Zürich", "CH"), ("Paris", "FR"), ("Lyon", "FR"),
    ("Kraków", "PL"), ("İstanbul", "TR"), ("Malmö", "SE"), ("Lisboa", "PT"), ("東京", "JP"), ("Lagos", "NG"),
    ("New York", "US"), ("St. John's", "CA"),
]
STREETS = ["Main Street", "Station Road", "Lindenallee", "Rue du Port", "Mill Lane", "Østergade", "Calle Mayor"]
TAGS = ["swift", "databases", "music", "cooking", "climbing", "chess", "photography", "linux", "gardening", "français"]
TOPICS = ["Swift", "databases", "the garden", "dinner", "climbing", "the release", "photos", "chess", "the move", "music"]
KINDS = ["club", "planning", "news", "help", "off-topic", "2024", "friends"]
OPENINGS = [
    "Has anybody tried {}?", "I wrote a page about {}.", "Let us talk about {} tomorrow.", "No idea about {}, sorry",
    "{}: done!", "Who brings notes on {}?", "My swift database answers questions about {}",
    "He said \"{} can wait\", and left.", "Two things:\n- {}\n- everything else", "100% sure about {}",
    "C:\\notes\\{}.txt", "¿Alguien sabe algo de {}?", "Es geht um {} – größer als gedacht", "😀 {} 🎉",
    "Call me at +49 30 {number} about {}", "see issue #{number}, it is about {}", "{}\tvs.\tsleep",
]
CLOSINGS = ["", "", "", " Thanks!", " See you at {hour}:30.", " :-)", " It can wait.", " (edited)", " What do you think?"]

source = random.Random(2026)


def unit():
    # Only random() is promised to stay the same between versions of Python.
    return source.random()


def below(bound):
    return int(unit() * bound)


def pick(values):
    return values[below(len(values))]


def skewed(bound, exponent=2.0):
    return min(bound - 1, int(bound * unit() ** exponent))


def sample(values, count):
    rest, taken = list(values), []
    while rest and len(taken) < count:
        taken.append(rest.pop(below(len(rest))))
    return taken


def moment(day, spread):
    seconds = int((day + unit() * spread) * 86_400)
    return (START + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def amount():
    cents = below(500_000) - 50_000
    return cents if cents % 10 else cents + 1 + below(9)


def ascii_name(text):
    return "".join(letter for letter in text.lower() if "a" <= letter <= "z") or "x"


def people():
    emails = set()
    for number in range(1, PEOPLE + 1):
        first, last = pick(FIRST), pick(LAST).replace("~", " ")
        email = f"{ascii_name(first)}.{ascii_name(last)}@example.org"
        if email in emails:
            email = f"{ascii_name(first)}.{ascii_name(last)}{number}@example.org"
        emails.add(email)
        if below(4) == 0:
            email = email.replace(ascii_name(first), ascii_name(first).capitalize(), 1)
        age = None if below(12) == 0 else 14 + skewed(70, 1.3)
        city, country = pick(PLACES)
        address = None if below(10) == 0 else {
            "street": f"{pick(STREETS)} {1 + below(120)}", "city": city,
            "postalCode": None if below(4) == 0 else f"{10_000 + below(89_999)}", "country": country}
        birthday = None
        if age is not None and below(3) > 0:
            birthday = datetime.date(2024 - age, 1 + below(12), 1 + below(28)).isoformat()
        cents = amount()
        person = {
            "id": str(number), "email": None if below(15) == 0 else email, "firstName": first, "lastName": last, "age": age,
            "birthday": birthday, "status": ["ACTIVE", "ACTIVE", "ACTIVE", "AWAY", "INVITED", "BLOCKED"][below(6)],
            "address": address, "tags": sample(TAGS, skewed(5, 0.8)),
            "balance": f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}",
            "joinedAt": moment(number * 2, 1),
            "invitedBy": str(1 + skewed(number - 1)) if number > 5 and below(3) > 0 else None,
            "friends": [str(friend + 1) for friend in sample(range(number - 1), min(skewed(8, 1.5), number - 1))],
        }
        # A status that is not said is the schema's default.
        if person["status"] == "ACTIVE" and below(8) == 0:
            del person["status"]
        yield person


def chats():
    for number in range(1, CHATS + 1):
        members = {1 + skewed(PEOPLE, 1.4) for _ in range(2 + skewed(12))} if number % 20 else set()
        yield {
            "id": f"c{number}", "title": f"{pick(TOPICS)} {pick(KINDS)}".capitalize(), "isPublic": below(3) == 0,
            "createdAt": moment(below(600), 1), "members": sample([str(member) for member in sorted(members)], 50),
            "pinned": None}


def messages(chats):
    open_chats = [chat for chat in chats if chat["members"]]
    heard = {}
    for number in range(1, MESSAGES + 1):
        chat = open_chats[skewed(len(open_chats), 1.6)]
        earlier = heard.setdefault(chat["id"], [])
        text = (pick(OPENINGS) + pick(CLOSINGS)).replace("{number}", str(1_000 + below(9_000)))
        text = text.replace("{hour}", str(1 + below(11))).replace("{}", pick(TOPICS))
        yield {
            "id": number, "text": text, "likes": skewed(60, 3), "isEdited": below(6) == 0,
            "sentAt": moment(below(700), 1), "author": pick(chat["members"]), "chat": chat["id"],
            "replyTo": pick(earlier) if earlier and below(3) == 0 else None}
        earlier.append(number)
        if below(8) == 0:
            chat["pinned"] = number


def attachments():
    endings = {"IMAGE": "jpg", "VIDEO": "mp4", "AUDIO": "ogg", "DOCUMENT": "pdf"}
    for number in range(1, ATTACHMENTS + 1):
        kind = pick(list(endings))
        yield {
            "id": f"a{number}", "name": f"{pick(TOPICS).replace(' ', '-')}-{number}.{endings[kind]}", "kind": kind,
            "size": 500 + skewed(9_000_000, 3),
            "duration": (1 + below(2_400)) / 8 if kind in ("VIDEO", "AUDIO") else None, "message": 1 + below(MESSAGES)}


def write(name, rows):
    with open(FOLDER / f"{name}.ndjson", "w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False)
            if "balance" in row:
                # Exact digits, as a number.
                line = line.replace(f'"balance": "{row["balance"]}"', f'"balance": {row["balance"]}')
            file.write(line + "\n")


def main():
    every_person, every_chat = list(people()), list(chats())
    # Pins are known when the messages are.
    every_message = list(messages(every_chat))
    write("Person", every_person)
    write("Chat", every_chat)
    write("Message", every_message)
    write("Attachment", attachments())


main()
