/// Words that say so little that they are neither indexed nor searched; they keep their places in phrases.
enum StopWords {
  /// Nil for a language without a list. The tables are not changed after they were made.
  static func table(_ language: TextLanguage) -> WordTable? { tables[language.code] }

  private static let tables: [String: WordTable] = lists.mapValues { list in
    let table = WordTable()
    for word in list.split(whereSeparator: \.isWhitespace) {
      let bytes = Array(word.utf8)
      bytes.withUnsafeBufferPointer { table.insert($0, 0) }
    }
    return table
  }

  private static let lists: [String: String] = [
    "en": """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
    to was will with
    """,
    "de": """
    aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine einem einen einer eines er
    es für hat ich ihr im in ist mit nicht noch nur ob oder sich sie sind so um und von war was wie wir zu zum zur
    """,
    "fr": """
    à au aux avec ce ces dans de des du elle en et eux il ils je la le les leur lui ma mais me mes mon ne nos notre
    nous on ou par pas pour qu que qui sa se ses son sur ta te tes toi ton tu un une vos votre vous
    """,
    "es": """
    a al como con de del el ella ellos en entre era es esta este esto ha hay la las le les lo los más me mi muy no o
    para pero por que se si sin sobre su sus también tu un una uno y ya yo
    """,
    "it": """
    a ad ai al alla anche che chi ci come con cui da dal dalla dei del della di e è ed gli ha i il in io la le lei lo
    lui ma mi ne nei nel nella noi non o per più se si sono su sul sulla ti tra tu un una uno vi voi
    """,
    "pt": """
    a ao aos as até com como da das de do dos e é ela ele em entre era essa esse esta este eu foi há isso já lhe mais
    mas me meu na não nas no nos o os ou para pela pelo por que se sem ser seu só sua também te um uma você
    """,
    "nl": """
    aan al als bij dan dat de der deze die dit door een en er had heb hebben heeft het hij hoe ik in is je kan maar me
    men met mij na naar niet nog nu of om omdat ons ook op over te tot u uit van voor was wat we wel wij ze zich zij
    zo
    """,
    "sv": """
    alla att av de den det dig din du där efter ej eller en ett för från ha han har hon i in inte jag kan man med men
    mig min mot nu när och om på sig sin ska som så till under upp ut vad var vi vid är
    """,
    "no": """
    alle at av da de deg den det din du der eller en er et etter for fra ha han har hun i ikke inn jeg kan man med
    meg men min mot nå når og om opp på seg sin skal som så til under ut vi ved være
    """,
    "da": """
    af alle at da de dem den der det dig din du efter eller en er et for fra ham han har hun i ikke ind jeg kan man
    med men mig min mod nu når og om op på sig sin skal som så til ud under var vi ved være
    """,
    "fi": """
    ei eli en että ei ette he hän ja jos joka jotka kanssa kuin kun me mikä minä mutta myös ne niin nyt ole oli on
    ovat se sekä siis sinä tai te tämä vaan vai
    """,
    "ru": """
    а без бы был была были было быть в вам вас во вот вы да для до его ее ей ему если есть же за и из или им их к как
    ко ли мне мы на нас не него нет ни но о об он она они от по при с со так то ты у уже что чтобы эта это я
    """,
  ]
}
